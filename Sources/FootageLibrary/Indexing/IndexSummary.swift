/// What the list and the catalog say of a recording's sample index (`SampleIndex`).
package struct IndexSummary: Hashable, Sendable {
  /// In bytes; 0 where none can be made of the file.
  package var length: UInt64
  /// By how many seconds the times of the recording's film are later than those of its presentation; nil where there is
  /// no film.
  package var shift: UInt32?
  /// The longest time from a key frame to the next, or to the end, in seconds; nil without pictures.
  package var keyInterval: Double?

  /// The longest index that is kept, in bytes: some sixty hours of 30 pictures a second with sound.
  static let lengthLimit: UInt64 = 64 << 20

  /// Of a file of which none can be made.
  static let none = IndexSummary(length: 0)

  package init(length: UInt64, shift: UInt32? = nil, keyInterval: Double? = nil) {
    self.length = length
    self.shift = shift
    self.keyInterval = keyInterval
  }

  /// - Returns: nil where it contradicts itself, as what was read may.
  init?(checking length: UInt64, shift: UInt32?, keyInterval: Double?) {
    guard length <= Self.lengthLimit, length > 0 || shift == nil,
      keyInterval.map({ $0.isFinite && $0 >= 0 }) ?? true
    else { return nil }
    self.init(length: length, shift: shift, keyInterval: keyInterval)
  }
}
