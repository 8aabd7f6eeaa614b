public import AVFoundation
public import Dispatch
public import FootageCore
public import Foundation
internal import Synchronization

/// The delegate that answers AVFoundation's requests for an asset, from the cache and the robot together.
///
/// ``FootageCore/Playback/playerItem(startingAt:)`` makes one if it is needed. For an asset of the app's own, set it as
/// the resource loader's delegate, with its ``queue``, and hold it for as long as the asset: AVFoundation does not.
///
/// Until the asset has its first byte, missing bytes that will not come are reported as an error. After that, no
/// request ends in an error, since players do not cope with one. The request stays open, the cause is in the playback's
/// `state`, and a failure that can pass is retried. The bytes continue where they stopped when the robot is back. A
/// player that should not wait for the robot gets a new item.
public final class AssetLoader: NSObject, AVAssetResourceLoaderDelegate, Sendable {
  /// The playback that the bytes come from.
  public let playback: Playback
  /// The queue on which AVFoundation has to call, and its requests are used.
  public let queue: DispatchQueue
  private let progress: LoaderProgress
  /// The requests that are being served, by the identity of AVFoundation's request, which the task holds.
  private let serving = Mutex<[ObjectIdentifier: Serving]>([:])

  private struct Serving: Sendable {
    let request: LoaderRequest
    let task: Task<Void, Never>
  }

  /// - Parameter playback: held for as long as this object exists.
  public convenience init(_ playback: Playback) { self.init(playback, FeedWindow()) }

  package init(_ playback: Playback, _ window: FeedWindow) {
    self.playback = playback
    progress = LoaderProgress(window)
    queue = DispatchQueue(label: "footage.asset-loader", qos: .userInitiated)
  }

  deinit { serving.withLock { $0.values.forEach { $0.task.cancel() } } }

  /// Reports the position of the player in seconds. The player gets what it reads ahead from there at once, and the
  /// rest slowly.
  func playerStands(at position: Double) {
    progress.window.withLock { $0 = playback.feedWindow($0, at: position) }
  }

  /// Begins to serve a request. AVFoundation calls this on ``queue``.
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool {
    let id = ObjectIdentifier(loadingRequest)
    let request = LoaderRequest(loadingRequest, on: queue, progress, isAllHere: playback.state.isComplete)
    serving.withLock { serving in
      serving[id] = Serving(
        request: request,
        task: Task { [playback, weak self] in
          await playback.serve(request)
          self?.forget(id, request)
        })
    }
    return true
  }

  /// Ends a request. AVFoundation calls this on ``queue``.
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
  ) {
    let cancelled = serving.withLock { $0.removeValue(forKey: ObjectIdentifier(loadingRequest)) }
    cancelled?.request.cancel()
    cancelled?.task.cancel()
  }

  /// - Parameter request: the request to forget, since another one may have the ID of one that was cancelled.
  private func forget(_ id: ObjectIdentifier, _ request: LoaderRequest) {
    serving.withLock { if $0[id]?.request === request { $0[id] = nil } }
  }
}
