/// The description of a recording's sample index (`SampleIndex`) in the list and the catalog.
package struct IndexSummary: Hashable, Sendable {
  /// The length in bytes; 0 if no index can be made for the file.
  package var length: UInt64
  /// The number of seconds by which the times of the recording's film are later than those of its presentation; nil if
  /// there is no film.
  package var shift: UInt32?
  /// The longest time from a key frame to the next, or to the end, in seconds; nil without pictures.
  package var keyInterval: Double?

  /// The longest index that is kept, in bytes: about sixty hours of 30 pictures a second with sound.
  static let lengthLimit: UInt64 = 64 << 20

  /// The summary for a file for which no index can be made.
  static let none = IndexSummary(length: 0)

  package init(length: UInt64, shift: UInt32? = nil, keyInterval: Double? = nil) {
    self.length = length
    self.shift = shift
    self.keyInterval = keyInterval
  }

  /// - Returns: nil if the values contradict each other, as they may if the data is damaged.
  init?(checking length: UInt64, shift: UInt32?, keyInterval: Double?) {
    guard length <= Self.lengthLimit, length > 0 || shift == nil,
      keyInterval.map({ $0.isFinite && $0 >= 0 }) ?? true
    else { return nil }
    self.init(length: length, shift: shift, keyInterval: keyInterval)
  }
}
