internal import FootageCore
internal import Synchronization

/// What an asset has got, over all of its requests, and may get.
final class LoaderProgress: Sendable {
  /// Whether it has got a byte.
  let hasBegun = Atomic(false)
  let window: Mutex<FeedWindow>

  init(_ window: FeedWindow) { self.window = Mutex(window) }
}
