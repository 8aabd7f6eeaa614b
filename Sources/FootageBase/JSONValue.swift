/// A JSON text (RFC 8259) as values. It is read strictly: whatever a peer sends is either JSON or rejected.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number as it is written, since not every number is a `Double`.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// An object. If a key is repeated, its last value counts.
  case object([String: JSONValue])

  /// Reads a whole text; nil if it is not JSON, has a byte order mark, is not UTF-8, or nests deeper than 64.
  ///
  /// - Parameter repeatedKeys: true if an object may have a key twice, in which case the last value counts. Pass false
  ///   if other programs judge the same bytes, because they may use the first one.
  package init?(_ bytes: [UInt8], repeatedKeys: Bool = true) {
    var reader = Reader(bytes: bytes, repeatedKeys: repeatedKeys)
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }

  /// The value of a member; nil if this is not an object or has no such member.
  package subscript(key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  package var isNull: Bool { self == .null }

  /// Returns the number if it is written without fraction and exponent and fits into the type.
  package func integer<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    if case .number(let text) = self { Number(text) } else { nil }
  }

  /// The nearest `Double`; nil if this is not a number, or the `Double` is not finite.
  package var double: Double? {
    guard case .number(let text) = self, let value = Double(text), value.isFinite else { return nil }
    return value
  }
}

/// Reads the bytes in one pass.
private struct Reader {
  private static let depthLimit = 64

  let bytes: [UInt8]
  let repeatedKeys: Bool
  var position = 0

  init(bytes: [UInt8], repeatedKeys: Bool) {
    self.bytes = bytes
    self.repeatedKeys = repeatedKeys
  }

  /// True if only blanks are left.
  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return position == bytes.count
    }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func takeWord(_ word: StaticString) -> Bool {
    let letters = Array(word.description.utf8)
    guard bytes[position...].starts(with: letters) else { return false }
    position += letters.count
    return true
  }

  mutating func value(depth: Int) -> JSONValue? {
    skipBlanks()
    guard depth <= Self.depthLimit, let byte = next else { return nil }
    switch byte {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map(JSONValue.string)
    case UInt8(ascii: "t"): return takeWord("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return takeWord("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return takeWord("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSONValue? {
    position += 1
    var members: [String: JSONValue] = [:]
    skipBlanks()
    if take("}") { return .object(members) }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\""), let key = string() else { return nil }
      skipBlanks()
      guard take(":"), let value = value(depth: depth + 1) else { return nil }
      guard members.updateValue(value, forKey: key) == nil || repeatedKeys else { return nil }
      skipBlanks()
      if take("}") { return .object(members) }
      guard take(",") else { return nil }
    }
  }

  private mutating func array(depth: Int) -> JSONValue? {
    position += 1
    var elements: [JSONValue] = []
    skipBlanks()
    if take("]") { return .array(elements) }
    while true {
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
      skipBlanks()
      if take("]") { return .array(elements) }
      guard take(",") else { return nil }
    }
  }

  /// Reads a number (RFC 8259 §6).
  private mutating func number() -> JSONValue? {
    let start = position
    _ = take("-")
    if !take("0") { guard digits() else { return nil } }
    if take(".") { guard digits() else { return nil } }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard digits() else { return nil }
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func digits() -> Bool {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start
  }

  /// Reads a string (RFC 8259 §7).
  private mutating func string() -> String? {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        text.append(contentsOf: Character(scalar).utf8)
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return unicodeEscape()
    default: return nil
    }
  }

  /// Reads a code unit, or two that form a surrogate pair. Returns nil for half a pair.
  private mutating func unicodeEscape() -> Unicode.Scalar? {
    guard let first = codeUnit() else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first), take("\\"), take("u"), let second = codeUnit(),
      (0xDC00..<0xE000).contains(second)
    else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  private mutating func codeUnit() -> UInt16? {
    guard bytes.count - position >= 4 else { return nil }
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Hexadecimal.value(bytes[position]) else { return nil }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
