public import AVFoundation
public import Dispatch
public import FootageCore
public import Foundation
internal import Synchronization

/// Answers what AVFoundation asks of an asset, out of the cache and the robot together.
///
/// ``FootageCore/Playback/playerItem(startingAt:)`` makes one where it is needed. For an asset of the app's own, set it
/// as the resource loader's delegate, with its ``queue``, and hold it for as long as the asset: AVFoundation does not.
///
/// Until the asset has got its first byte, what will not come is told as an error. From then on no request ends in one,
/// for a player makes nothing good of that: it stays open, the cause is in the playback's `state`, and what can pass is
/// tried again. The bytes go on where they stopped when the robot is back. A player that is not to wait for it gets a
/// new item.
public final class AssetLoader: NSObject, AVAssetResourceLoaderDelegate, Sendable {
  /// Whose bytes these are.
  public let playback: Playback
  /// The one on which AVFoundation has to call, and its requests are touched.
  public let queue: DispatchQueue
  private let progress: LoaderProgress
  /// By the identity of AVFoundation's request, which its task holds.
  private let serving = Mutex<[ObjectIdentifier: Serving]>([:])

  private struct Serving: Sendable {
    let request: LoaderRequest
    let task: Task<Void, Never>
  }

  /// - Parameter playback: held for as long as this object is.
  public convenience init(_ playback: Playback) { self.init(playback, FeedWindow()) }

  package init(_ playback: Playback, _ window: FeedWindow) {
    self.playback = playback
    progress = LoaderProgress(window)
    queue = DispatchQueue(label: "footage.asset-loader", qos: .userInitiated)
  }

  deinit { serving.withLock { $0.values.forEach { $0.task.cancel() } } }

  /// Where the player stands, in seconds: it is given what it reads ahead from there at once, and the rest slowly.
  func playerStands(at position: Double) {
    progress.window.withLock { $0 = playback.feedWindow($0, at: position) }
  }

  /// Called by AVFoundation, on ``queue``.
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

  /// Called by AVFoundation, on ``queue``.
  public func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
  ) {
    let cancelled = serving.withLock { $0.removeValue(forKey: ObjectIdentifier(loadingRequest)) }
    cancelled?.request.cancel()
    cancelled?.task.cancel()
  }

  /// - Parameter request: another one may have the number of one that was cancelled.
  private func forget(_ id: ObjectIdentifier, _ request: LoaderRequest) {
    serving.withLock { if $0[id]?.request === request { $0[id] = nil } }
  }
}
