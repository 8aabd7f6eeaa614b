internal import FootageCore
internal import Synchronization

/// The progress of an asset over all of its requests, and the bytes that it may get.
final class LoaderProgress: Sendable {
  /// True if the asset has got a byte.
  let hasBegun = Atomic(false)
  let window: Mutex<FeedWindow>

  init(_ window: FeedWindow) { self.window = Mutex(window) }
}
