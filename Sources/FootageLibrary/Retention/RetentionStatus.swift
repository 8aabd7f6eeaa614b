/// How making room goes, for those who watch over the robot.
package struct RetentionStatus: Hashable, Sendable {
  /// Whether there are rules by which recordings are deleted.
  package var isOn = false
  /// Nil while nobody can tell.
  package var forecast: RoomForecast?
  /// Since the start.
  package var deletedRecordings: UInt64 = 0
  /// Since the start, in bytes.
  package var deletedBytes: UInt64 = 0
  /// How many were deleted since the start that were still to come into the store,
  package var lostRecordings: UInt64 = 0
  /// and when the last of them was, on the clock that never goes back, in nanoseconds; nil where none was.
  package var lostAt: Int64?
  /// Why no room is made though the rules ask for it, in words; nil where all is well.
  package var failure: String?
  /// Whether there is less room than the rules ask for, and nothing that may be deleted.
  package var isShort = false
  /// Why `--max-age` deletes nothing just now, in words; nil where it does.
  package var ageHold: String?
}
