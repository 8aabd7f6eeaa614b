/// A stretch of time, half-open, as Apple's CMTimeRange.h documents it.
public struct CMTimeRange: Sendable {
  public var start: CMTime
  public var duration: CMTime

  public init(start: CMTime, duration: CMTime) {
    self.start = start
    self.duration = duration
  }

  /// `CMTimeRangeFromTimeToTime`.
  public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

  public init() { self.init(start: .invalid, duration: .invalid) }

  public static let invalid = CMTimeRange()
  public static let zero = CMTimeRange(start: .zero, duration: .zero)

  /// A range with a negative duration is none.
  public var isValid: Bool {
    start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
  }

  public var isEmpty: Bool { isValid && duration == .zero }
  public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
  /// The first moment that is not in it.
  public var end: CMTime { start + duration }

  public func containsTime(_ time: CMTime) -> Bool {
    isValid && time.isNumeric && time >= start && time < end
  }
}

/// `CMTimeRangeEqual`.
extension CMTimeRange: Equatable {
  public static func == (one: CMTimeRange, other: CMTimeRange) -> Bool {
    one.start == other.start && one.duration == other.duration
  }
}
