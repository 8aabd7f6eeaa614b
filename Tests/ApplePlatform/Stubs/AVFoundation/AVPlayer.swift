@MainActor
open class AVPlayer: NSObject {
  public private(set) var currentItem: AVPlayerItem?
  public var automaticallyWaitsToMinimizeStalling = true
  /// The calls of its methods, in order.
  package private(set) var calls: [Call] = []

  package enum Call: Hashable, Sendable {
    case play
    case playImmediately(Float)
    case pause
    /// Played although it waits by itself.
    case waits
  }

  public init(playerItem item: AVPlayerItem?) { currentItem = item }
  public override init() {}

  /// 0 where it stands.
  public var rate: Float = 0

  public func replaceCurrentItem(with item: AVPlayerItem?) { currentItem = item }

  public func play() {
    calls.append(.play)
    rate = 1
  }

  public func pause() {
    calls.append(.pause)
    rate = 0
  }

  public func playImmediately(atRate rate: Float) {
    calls.append(automaticallyWaitsToMinimizeStalling ? .waits : .playImmediately(rate))
    self.rate = rate
  }

  public func currentTime() -> CMTime { currentItem?.currentTime() ?? .invalid }

  public func seek(to time: CMTime) {
    currentItem?.seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
  }
}
