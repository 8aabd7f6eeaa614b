/// The part of an asset that a player plays.
@MainActor
open class AVPlayerItem: NSObject {
  public let asset: AVAsset
  private var time = CMTime.zero

  public init(asset: AVAsset) { self.asset = asset }

  public enum Status: Int, Sendable {
    case unknown = 0
    case readyToPlay = 1
    case failed = 2
  }

  public package(set) var status = Status.unknown
  public package(set) var error: (any Error)?

  public func currentTime() -> CMTime { time }

  /// Apple's raises an exception where there is a handler before the item is ready.
  public func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
    completionHandler: (@Sendable (Bool) -> Void)? = nil
  ) {
    precondition(completionHandler == nil || status == .readyToPlay, "the item is not ready for a handler")
    self.time = time
    completionHandler?(true)
  }

  /// Time passes.
  package func run(to time: CMTime) { self.time = time }
}
