internal import FootageBase

/// A reader of the fields of one box. It reads them in order and never beyond the end of the box.
struct FieldReader {
  private let bytes: [UInt8]
  private let end: Int
  /// The path of the box's parent. It is combined with the type into a `BoxPlace` only for an error, because a
  /// recording of a day has millions of boxes.
  private let parent: String
  private let type: FourCharacterCode
  private let fileOffset: UInt64
  /// The index of the next field in `bytes`.
  private(set) var position: Int

  /// - Parameters:
  ///   - parent: the path of the parent box of `type`.
  ///   - fileOffset: the offset of the box in the file.
  init(bytes: [UInt8], range: Range<Int>, parent: String, type: FourCharacterCode, fileOffset: UInt64) {
    self.bytes = bytes
    self.parent = parent
    self.type = type
    self.fileOffset = fileOffset
    position = range.lowerBound
    end = range.upperBound
  }

  /// The number of bytes from the next field to the end of the box.
  var remaining: Int { end - position }

  var place: BoxPlace { BoxPlace(type, in: parent, at: fileOffset) }

  func malformed(_ reason: String) -> MP4Error { .malformed(place, reason) }

  mutating func skip(_ count: Int) throws(MP4Error) {
    guard count <= remaining else { throw malformed("is too short for its fields") }
    position += count
  }

  mutating func uint8() throws(MP4Error) -> UInt8 {
    try skip(1)
    return bytes[position - 1]
  }

  mutating func uint16() throws(MP4Error) -> UInt16 {
    try skip(2)
    return bytes.borrowedSpan.uint16(at: position - 2)
  }

  mutating func uint32() throws(MP4Error) -> UInt32 {
    try skip(4)
    return bytes.borrowedSpan.uint32(at: position - 4)
  }

  mutating func uint64() throws(MP4Error) -> UInt64 {
    try skip(8)
    return bytes.borrowedSpan.uint64(at: position - 8)
  }

  /// Reads a field of `count` bytes, which is 0, 4 or 8, as in `iloc`.
  mutating func unsigned(bytes count: Int) throws(MP4Error) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<count { value = value << 8 | UInt64(try uint8()) }
    return value
  }

  /// Reads the version and flags that begin a full box (ISO/IEC 14496-12 §4.2).
  mutating func versionAndFlags() throws(MP4Error) -> (version: UInt8, flags: UInt32) {
    let word = try uint32()
    return (UInt8(word >> 24), word & 0xFF_FFFF)
  }

  /// Returns the position of a table of `count` entries with `entrySize` bytes each, and skips the table.
  ///
  /// - Throws: `malformed` if the box ends before the table does.
  mutating func table(count: UInt32, entrySize: Int) throws(MP4Error) -> EntryTable {
    guard UInt64(count) * UInt64(entrySize) <= UInt64(remaining) else {
      throw malformed("claims \(count) entries but has room for \(remaining / max(1, entrySize))")
    }
    let table = EntryTable(position: position, count: Int(count))
    position += Int(count) * entrySize
    return table
  }
}

/// A table of entries of equal size. All of them lie inside a buffer.
struct EntryTable: Hashable, Sendable {
  var position = 0
  var count = 0
}
