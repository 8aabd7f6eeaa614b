/// Reads consecutive DER elements (X.690 §8 and §10) from bytes of any origin.
///
/// It rejects everything that is not DER: lengths that are indefinite or not in their shortest form. It also rejects
/// tags of more than one byte, which certificates do not have.
struct DERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// An element of DER.
  struct Element {
    let tag: UInt8
    /// The bytes of the element from its tag to its end.
    let whole: ArraySlice<UInt8>
    let contents: ArraySlice<UInt8>

    /// A reader of the elements in the contents.
    var inside: DERReader { DERReader(contents) }
  }

  /// The tags of universal types (X.690 §8.1.2, X.680 §8.6), with the constructed bit where the type is constructed.
  enum Tag {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let objectIdentifier: UInt8 = 0x06
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30

    /// Returns the context-specific tag of a constructed field, by the field's number.
    static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
    /// Returns the context-specific tag of a field, by the field's number. The tag replaces that of a primitive type.
    static func primitiveContext(_ number: UInt8) -> UInt8 { 0x80 | number }
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Returns the next element of any type; nil at the end, and if the bytes are not DER.
  mutating func next() -> Element? {
    var position = rest.startIndex
    guard let tag = rest.first, tag & 0x1F != 0x1F, rest.count >= 2 else { return nil }
    position += 1
    let first = rest[position]
    position += 1
    var length = Int(first)
    if first >= 0x80 {
      let count = Int(first & 0x7F)
      // Four bytes are enough for 4 GiB; a count of zero is the indefinite form of BER.
      guard (1...4).contains(count), rest.endIndex - position >= count, rest[position] != 0 else { return nil }
      length = rest[position..<(position + count)].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 0x80 else { return nil }
      position += count
    }
    guard rest.endIndex - position >= length else { return nil }
    let end = position + length
    let element = Element(tag: tag, whole: rest[rest.startIndex..<end], contents: rest[position..<end])
    rest = rest[end...]
    return element
  }

  /// Returns the next element, which must have this tag.
  mutating func next(_ tag: UInt8) -> Element? {
    guard rest.first == tag else { return nil }
    return next()
  }

  /// Skips an optional element.
  ///
  /// - Returns: false if the element is there, but is not DER.
  mutating func skip(_ tag: UInt8) -> Bool { rest.first == tag ? next() != nil : true }

  /// Returns the bytes of a BIT STRING that consists of whole bytes (X.690 §8.6).
  mutating func nextBytesOfBits() -> ArraySlice<UInt8>? {
    guard let bits = next(Tag.bitString), bits.contents.first == 0 else { return nil }
    return bits.contents.dropFirst()
  }
}
