internal import FootageCore
internal import Synchronization

/// The progress of an asset over all of its requests, and the window of bytes that are delivered at once.
final class LoaderProgress: Sendable {
  /// True if the asset has received at least one byte.
  let hasBegun = Atomic(false)
  let window: Mutex<FeedWindow>

  init(_ window: FeedWindow) { self.window = Mutex(window) }
}
