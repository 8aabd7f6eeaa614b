/// Whether ages in days mean anything just now: no input or output, and no clock of its own. All times are nanoseconds.
struct RetentionClock: Hashable {
  /// What outlasts a run.
  struct Record: Hashable {
    /// The time of day when the clock was right last.
    var wall: Int64
    /// For so long nothing was to be judged by its age yet.
    var held: Int64
  }

  /// The clock is wrong before this: nobody ran this program before it was built.
  private let earliest: Int64
  /// The difference between the two clocks when they were compared last, while the clock was set.
  private var offset: Int64?
  /// Of the last run, until the clock is set.
  private var record: Record?
  /// Until when, on the clock that never goes back, nothing is judged by its age.
  private var heldUntil: Int64?
  /// Whether the clock was ever seen not to be set in this run.
  private var wasUnset = false

  /// A clock that jumps by more than this was wrong before, or is wrong now; and this long somebody has to notice.
  static let day: Int64 = 86_400_000_000_000

  /// - Parameters:
  ///   - earliest: in nanoseconds since 1970: when this program was built.
  ///   - record: of the last run; nil where there is none.
  init(earliest: Int64, record: Record?) {
    self.earliest = earliest
    self.record = record
  }

  /// To be called often.
  ///
  /// - Returns: whether the clock has jumped.
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
      // Between two runs nobody can tell a jump from a day in which the robot was off.
      hasJumped = Self.isJump(from: record.wall, to: wall)
      let passed = max(0, wall.subtractingClamped(record.wall))
      if record.held > passed { heldUntil = uptime + (record.held - passed) }
    } else {
      hasJumped = wasUnset
    }
    record = nil
    if hasJumped { heldUntil = uptime + Self.day }
    // A clock that is set again and again by a little is compared with where it began.
    if hasJumped || offset == nil { offset = current }
    return hasJumped
  }

  private static func isJump(from before: Int64, to now: Int64) -> Bool {
    now.subtractingClamped(before).magnitude > day.magnitude
  }

  func isSet(wall: Int64) -> Bool { wall >= earliest }

  func agesCount(wall: Int64, uptime: Int64) -> Bool { isSet(wall: wall) && uptime >= heldUntil ?? .min }

  /// What the next run has to know; nil while the clock is not set.
  func record(wall: Int64, uptime: Int64) -> Record? {
    guard isSet(wall: wall), offset != nil else { return nil }
    return Record(wall: wall, held: max(0, (heldUntil ?? .min).subtractingClamped(uptime)))
  }
}

extension RetentionClock.Record {
  /// Reads `clock WALL HELD`; nil where it is something else.
  init?(text: String) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count >= 3, words[0] == "clock", let wall = Int64(words[1]), let held = Int64(words[2]), held >= 0,
      held <= RetentionClock.day
    else { return nil }
    self.init(wall: wall, held: held)
  }

  var text: String { "clock \(wall) \(held)\n" }
}
