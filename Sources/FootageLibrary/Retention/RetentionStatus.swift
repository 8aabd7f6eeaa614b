/// The status of retention, for the people who monitor the robot.
package struct RetentionStatus: Hashable, Sendable {
  /// True if there are rules by which recordings are deleted.
  package var isOn = false
  /// The forecast; nil while there is no basis for one.
  package var forecast: RoomForecast?
  /// The number of recordings deleted since the start.
  package var deletedRecordings: UInt64 = 0
  /// The total size of the recordings deleted since the start, in bytes.
  package var deletedBytes: UInt64 = 0
  /// The number of recordings deleted since the start that had yet to be uploaded to the store.
  package var lostRecordings: UInt64 = 0
  /// The monotonic time of the last deletion of a recording that had yet to be uploaded, in nanoseconds; nil if there
  /// was none.
  package var lostAt: Int64?
  /// The reason why no room is made although the rules require it, in words; nil if all is well.
  package var failure: String?
  /// True if there is less room than the rules require, and no recording may be deleted.
  package var isShort = false
  /// The reason why `--max-age` is not applied at present, in words; nil if it is applied.
  package var ageHold: String?
}
