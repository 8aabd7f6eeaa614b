/// The byte classes of RFC 9110 §5.6, and comparisons that copy nothing.
enum ASCII {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let delete: UInt8 = 0x7F

  /// Returns true for a `tchar` (RFC 9110 §5.6.2). The constants have a bit for each of the 128 characters.
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<64: 0x03FF_6CFA_0000_0000 as UInt64 >> UInt64(byte) & 1 == 1
    case 64..<128: 0x57FF_FFFF_C7FF_FFFE as UInt64 >> UInt64(byte - 64) & 1 == 1
    default: false
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Returns true for a space or a tab: the whitespace of RFC 9110 §5.6.3.
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  /// Returns true for a byte that is not allowed in a field value (RFC 9110 §5.5).
  static func isControl(_ byte: UInt8) -> Bool { (byte < space && byte != tab) || byte == delete }

  /// Returns how many of the eight bytes from `position` on precede the first byte that is below a space or is a DEL.
  /// Most bytes of a head are checked by this function, eight at a time.
  static func plainPrefix(_ bytes: Span<UInt8>, _ position: Int) -> Int {
    // Safe because any eight bytes are a number, and the load checks that they lie within the span.
    let word = UInt64(littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    let ones: UInt64 = 0x0101_0101_0101_0101
    let deletes = word ^ ones &* UInt64(delete)
    // The subtraction sets a byte's high bit if it borrows. A borrow corrupts only the bytes above the first special
    // one.
    let special = ((word &- ones &* UInt64(space)) & ~word | (deletes &- ones) & ~deletes) & (ones &* 0x80)
    return special.trailingZeroBitCount / 8
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }

  /// Returns true if the bytes in `range` are `name`, with letters in either case. The name has to be in lower case.
  static func matches(_ bytes: Span<UInt8>, _ range: Range<Int>, ignoringCase name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard range.count == count else { return false }
    // Safe because a literal's bytes live as long as the process, and no index passes their count.
    let letters = unsafe UnsafeBufferPointer(start: name.utf8Start, count: count)
    for offset in 0..<count where unsafe lowercased(bytes[range.lowerBound + offset]) != letters[offset] {
      return false
    }
    return true
  }

  /// Returns true if the bytes in `range` are exactly `text`.
  static func matches(_ bytes: Span<UInt8>, _ range: Range<Int>, exactly text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard range.count == count else { return false }
    // Safe because a literal's bytes live as long as the process, and no index passes their count.
    let letters = unsafe UnsafeBufferPointer(start: text.utf8Start, count: count)
    for offset in 0..<count where unsafe bytes[range.lowerBound + offset] != letters[offset] { return false }
    return true
  }

  /// Returns the range without blanks at its ends.
  static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, isBlank(bytes[start]) { start += 1 }
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Returns the number that the range contains: digits only, at least one.
  ///
  /// - Returns: nil if the range contains anything else, or the number exceeds 64 bits.
  static func decimal(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
    guard !range.isEmpty else { return nil }
    var value: UInt64 = 0
    for index in range {
      guard isDigit(bytes[index]) else { return nil }
      let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflow) = tens.addingReportingOverflow(UInt64(bytes[index] - UInt8(ascii: "0")))
      guard !tensOverflow, !sumOverflow else { return nil }
      value = sum
    }
    return value
  }
}

/// An iterator over the members of a comma-separated list (RFC 9110 §5.6.1). It trims blanks and skips empty members.
struct ListCursor {
  private var position: Int
  private let end: Int

  /// Creates an iterator over a list whose members contain no quoted strings.
  init(_ range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next member, or nil after the last one.
  mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
    while position < end {
      let start = position
      while position < end, bytes[position] != UInt8(ascii: ",") { position += 1 }
      let member = ASCII.trimmed(bytes, start..<position)
      position += 1
      if !member.isEmpty { return member }
    }
    return nil
  }
}
