/// A reader of a name's digits and separators, from left to right.
struct NameScanner {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  var rest: ArraySlice<UInt8> { bytes[position...] }

  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  /// Reads exactly this many digits if they form a number in the range; more digits may follow. Reads nothing
  /// otherwise.
  ///
  /// - Parameter digits: at most 18.
  mutating func number(digits: Int, _ allowed: ClosedRange<Int>) -> Int? {
    guard digits <= bytes.endIndex - position else { return nil }
    var value = 0
    for byte in bytes[position..<(position + digits)] {
      guard NameScanner.isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    guard allowed.contains(value) else { return nil }
    position += digits
    return value
  }

  /// The number of digits that follow.
  var digitCount: Int { rest.prefix(while: NameScanner.isDigit).count }

  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    let taken = rest.prefix(count)
    position = taken.endIndex
    return taken
  }

  /// Skips one of these characters if it is next.
  @discardableResult
  mutating func skip(oneOf characters: StaticString) -> Bool {
    guard let next, characters.description.utf8.contains(next) else { return false }
    position += 1
    return true
  }

  /// Skips these characters if they are next.
  @discardableResult
  mutating func skip(text: StaticString) -> Bool {
    let characters = text.description.utf8
    guard rest.starts(with: characters) else { return false }
    position += characters.count
    return true
  }

  /// Skips this word, in upper or lower case, if it is next and no letter or digit follows it.
  mutating func skip(word: StaticString) -> Bool {
    let letters = word.description.utf8
    let here = rest.prefix(letters.count)
    guard here.count == letters.count, zip(here, letters).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { return false }
    if here.endIndex < bytes.endIndex, Self.isLetterOrDigit(bytes[here.endIndex]) { return false }
    position = here.endIndex
    return true
  }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
