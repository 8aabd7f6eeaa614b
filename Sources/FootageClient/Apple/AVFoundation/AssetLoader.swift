public import AVFoundation
public import Dispatch
public import FootageCore
public import Foundation
internal import Synchronization

/// The delegate that answers AVFoundation's requests for an asset, from the cache and the robot together.
///
/// ``FootageCore/Playback/playerItem(startingAt:)`` makes one if it is needed. An app that makes its own asset sets a
/// loader as the delegate of the asset's resource loader, with the loader's ``queue``. The app must hold the loader for
/// as long as the asset, because AVFoundation does not.
///
/// Until the asset has received its first byte, an error is reported for bytes that cannot be fetched. After that, no
/// request ends in an error, because players cannot continue after one. Instead, the request stays open, the playback's
/// `state` has the cause, and temporary failures are retried. When the robot can be reached again, the bytes continue
/// where they stopped. For a player that should not wait for the robot, make a new item.
public final class AssetLoader: NSObject, AVAssetResourceLoaderDelegate, Sendable {
  /// The playback that the bytes come from.
  public let playback: Playback
  /// The queue on which AVFoundation must call this object, and on which its requests are used.
  public let queue: DispatchQueue
  private let progress: LoaderProgress
  /// The requests that are being served, by the identity of AVFoundation's request object. The task keeps that object
  /// alive.
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

  /// Reports the position of the player in seconds. Bytes that the player needs soon after this position are delivered
  /// at once, later ones slowly.
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

  /// Removes a request that has been served.
  ///
  /// - Parameter request: the request to remove. A newer request may have the same ID if this one was canceled.
  private func forget(_ id: ObjectIdentifier, _ request: LoaderRequest) {
    serving.withLock { if $0[id]?.request === request { $0[id] = nil } }
  }
}
