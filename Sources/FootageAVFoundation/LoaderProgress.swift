#if canImport(AVFoundation)
internal import Synchronization

/// What an asset has got, over all of its requests.
final class LoaderProgress: Sendable {
  /// Whether it has got a byte.
  let hasBegun = Atomic(false)
}
#endif
