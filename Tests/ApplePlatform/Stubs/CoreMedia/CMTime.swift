/// A moment, as Apple's CMTime.h documents it: a whole number of fractions of a second.
public struct CMTime: Sendable {
  public var value: CMTimeValue
  public var timescale: CMTimeScale
  public var flags: CMTimeFlags
  public var epoch: CMTimeEpoch

  public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
    self.epoch = epoch
  }

  /// `kCMTimeInvalid`.
  public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

  /// `CMTimeMake`: no timescale but a positive one makes a valid time.
  public init(value: CMTimeValue, timescale: CMTimeScale) {
    self.init(value: value, timescale: timescale, flags: timescale > 0 ? .valid : [], epoch: 0)
  }

  /// `CMTimeMakeWithSeconds`: what is no number of the timescale is rounded, and said to be; what does not fit has a
  /// smaller timescale, or is infinite.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    guard preferredTimescale > 0, !seconds.isNaN else {
      self = .invalid
      return
    }
    var timescale = preferredTimescale
    while timescale > 1, abs(seconds) * Double(timescale) >= 0x1p62 { timescale /= 2 }
    let ticks = seconds * Double(timescale)
    guard abs(ticks) < 0x1p63 else {
      self = seconds > 0 ? .positiveInfinity : .negativeInfinity
      return
    }
    let value = ticks.rounded()
    self.init(
      value: CMTimeValue(value), timescale: timescale,
      flags: value == ticks && timescale == preferredTimescale ? .valid : [.valid, .hasBeenRounded], epoch: 0)
  }

  public static let invalid = CMTime()
  public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
  public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
  public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
  public static let zero = CMTime(value: 0, timescale: 1)

  public var isValid: Bool { flags.contains(.valid) }
  public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
  public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
  public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
  public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
  public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

  /// `CMTimeGetSeconds`: NaN where it is invalid or indefinite.
  public var seconds: Double {
    if isNumeric { return Double(value) / Double(timescale) }
    if isPositiveInfinity { return .infinity }
    if isNegativeInfinity { return -.infinity }
    return .nan
  }
}

public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32
public typealias CMTimeEpoch = Int64

public struct CMTimeFlags: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let valid = CMTimeFlags(rawValue: 1 << 0)
  public static let hasBeenRounded = CMTimeFlags(rawValue: 1 << 1)
  public static let positiveInfinity = CMTimeFlags(rawValue: 1 << 2)
  public static let negativeInfinity = CMTimeFlags(rawValue: 1 << 3)
  public static let indefinite = CMTimeFlags(rawValue: 1 << 4)
  public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// `CMTimeCompare`: -infinity < numbers < indefinite < +infinity < invalid, so that any list of times can be sorted.
extension CMTime: Comparable {
  public static func == (one: CMTime, other: CMTime) -> Bool { order(one, other) == 0 }
  public static func < (one: CMTime, other: CMTime) -> Bool { order(one, other) < 0 }

  private var rank: Int {
    if !isValid { return 4 }
    if isPositiveInfinity { return 3 }
    if isIndefinite { return 2 }
    return isNumeric ? 1 : 0
  }

  private static func order(_ one: CMTime, _ other: CMTime) -> Int {
    guard one.isNumeric, other.isNumeric else { return one.rank - other.rank }
    guard one.epoch == other.epoch else { return one.epoch < other.epoch ? -1 : 1 }
    let left = one.value.multipliedFullWidth(by: Int64(other.timescale))
    let right = other.value.multipliedFullWidth(by: Int64(one.timescale))
    if left.high != right.high { return left.high < right.high ? -1 : 1 }
    return left.low == right.low ? 0 : left.low < right.low ? -1 : 1
  }
}

/// `CMTimeAdd` and `CMTimeSubtract`: exact where the result's timescale can be exact.
extension CMTime {
  public static func + (one: CMTime, other: CMTime) -> CMTime { sum(one, other, sign: 1) }
  public static func - (one: CMTime, other: CMTime) -> CMTime { sum(one, other, sign: -1) }

  private var negated: CMTime {
    if isPositiveInfinity { return .negativeInfinity }
    if isNegativeInfinity { return .positiveInfinity }
    return self
  }

  private static func sum(_ one: CMTime, _ other: CMTime, sign: Int64) -> CMTime {
    guard one.isValid, other.isValid else { return .invalid }
    if one.isNumeric, other.isNumeric { return numericSum(one, other, sign: sign) }
    if one.isIndefinite || other.isIndefinite { return .indefinite }
    let infinities = [one, sign > 0 ? other : other.negated].filter { !$0.isNumeric }
    // What is infinite in both directions is nothing.
    return infinities.allSatisfy { $0.flags == infinities[0].flags } ? infinities[0] : .invalid
  }

  private static func numericSum(_ one: CMTime, _ other: CMTime, sign: Int64) -> CMTime {
    // A difference of two epochs is a duration.
    let epoch = sign < 0 && one.epoch == other.epoch ? 0 : max(one.epoch, other.epoch)
    let rounded = one.flags.union(other.flags).intersection(.hasBeenRounded)
    let (a, b) = (Int64(one.timescale), Int64(other.timescale))
    let common = a / greatestDivisor(a, b) * b
    if let timescale = CMTimeScale(exactly: common) {
      let (left, first) = one.value.multipliedReportingOverflow(by: common / a)
      let (right, second) = other.value.multipliedReportingOverflow(by: sign * (common / b))
      let (value, third) = left.addingReportingOverflow(right)
      if !first, !second, !third {
        return CMTime(value: value, timescale: timescale, flags: [.valid, rounded], epoch: epoch)
      }
    }
    var sum = CMTime(
      seconds: one.seconds + Double(sign) * other.seconds, preferredTimescale: max(one.timescale, other.timescale))
    sum.epoch = epoch
    sum.flags.formUnion(.hasBeenRounded)
    return sum
  }

  private static func greatestDivisor(_ a: Int64, _ b: Int64) -> Int64 { b == 0 ? a : greatestDivisor(b, a % b) }
}
