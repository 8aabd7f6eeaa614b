/// A monitor of the clocks that decides whether ages in days are meaningful. It does no input or output, and reads no
/// clock itself. All times are in nanoseconds.
struct RetentionClock: Hashable {
  /// The state that is stored for the next run.
  struct Record: Hashable {
    /// The latest time at which the clock was set, in nanoseconds since 1970.
    var wall: Int64
    /// The remaining time during which ages are ignored.
    var held: Int64
  }

  /// The time at which this program was built. A clock that shows an earlier time is wrong.
  private let earliest: Int64
  /// The difference between the clock and the monotonic clock when they were last compared while the clock was set.
  private var offset: Int64?
  /// The record of the last run, until the clock is set.
  private var record: Record?
  /// The monotonic time until which ages are ignored.
  private var heldUntil: Int64?
  /// True if the clock was found not to be set during this run.
  private var wasUnset = false

  /// The size of a jump of the clock above which ages are ignored, in nanoseconds, because the clock was wrong before
  /// or is wrong now. It is also the time for which ages are then ignored, so that an operator can notice the jump.
  static let day: Int64 = 86_400_000_000_000

  /// - Parameters:
  ///   - earliest: the time when this program was built, in nanoseconds since 1970.
  ///   - record: the record of the last run; nil if there is none.
  init(earliest: Int64, record: Record?) {
    self.earliest = earliest
    self.record = record
  }

  /// Compares the clocks. Call this often.
  ///
  /// - Returns: true if the clock has jumped.
  @discardableResult
  mutating func look(wall: Int64, uptime: Int64) -> Bool {
    guard wall >= earliest else {
      wasUnset = true
      return false
    }
    let current = wall.subtractingClamped(uptime)
    var hasJumped = false
    if let offset {
      hasJumped = Self.isJump(from: offset, to: current)
    } else if let record {
      // Between two runs, a jump cannot be told from a day in which the robot was off.
      hasJumped = Self.isJump(from: record.wall, to: wall)
      let passed = max(0, wall.subtractingClamped(record.wall))
      if record.held > passed { heldUntil = uptime + (record.held - passed) }
    } else {
      hasJumped = wasUnset
    }
    record = nil
    if hasJumped { heldUntil = uptime + Self.day }
    // Small adjustments are all compared with the first offset, so that many of them can add up to a jump.
    if hasJumped || offset == nil { offset = current }
    return hasJumped
  }

  private static func isJump(from before: Int64, to now: Int64) -> Bool {
    now.subtractingClamped(before).magnitude > day.magnitude
  }

  func isSet(wall: Int64) -> Bool { wall >= earliest }

  func agesCount(wall: Int64, uptime: Int64) -> Bool { isSet(wall: wall) && uptime >= heldUntil ?? .min }

  /// Returns the record for the next run; nil while the clock is not set.
  func record(wall: Int64, uptime: Int64) -> Record? {
    guard isSet(wall: wall), offset != nil else { return nil }
    return Record(wall: wall, held: max(0, (heldUntil ?? .min).subtractingClamped(uptime)))
  }
}

extension RetentionClock.Record {
  /// Parses `clock WALL HELD`; nil if the text is anything else.
  init?(text: String) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count >= 3, words[0] == "clock", let wall = Int64(words[1]), let held = Int64(words[2]), held >= 0,
      held <= RetentionClock.day
    else { return nil }
    self.init(wall: wall, held: held)
  }

  var text: String { "clock \(wall) \(held)\n" }
}
