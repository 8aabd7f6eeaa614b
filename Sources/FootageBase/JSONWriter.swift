/// A writer that puts JSON (RFC 8259) straight into bytes, without building a tree.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// The text written so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func object(_ members: (inout JSONWriter) -> Void) {
    open("{")
    members(&self)
    close("}")
  }

  package mutating func array<Elements: Sequence>(
    _ elements: Elements, _ element: (inout JSONWriter, Elements.Element) -> Void
  ) {
    open("[")
    for each in elements { element(&self, each) }
    close("]")
  }

  /// Writes an array whose elements the closure writes.
  package mutating func array(_ elements: (inout JSONWriter) -> Void) {
    open("[")
    elements(&self)
    close("]")
  }

  /// Writes a member whose value the closure writes.
  package mutating func member(_ key: StaticString, _ value: (inout JSONWriter) -> Void) {
    member(named: key.description, value)
  }

  /// Writes a member whose key is not known at compile time.
  package mutating func member(named key: String, _ value: (inout JSONWriter) -> Void) {
    separate()
    quote(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    value(&self)
  }

  package mutating func member(_ key: StaticString, _ value: String?) {
    member(key) { $0.value(value) }
  }

  package mutating func member<Number: FixedWidthInteger>(_ key: StaticString, _ value: Number?) {
    member(key) { $0.value(value) }
  }

  /// Writes a member with a number, like the generic overload but faster.
  package mutating func member(_ key: StaticString, _ value: Int64?) {
    member(key) { $0.value(value) }
  }

  /// Writes a member with a number rounded to three decimals, which is as fine as a player's clock.
  package mutating func member(_ key: StaticString, _ value: Double?) {
    member(key) { $0.value(value) }
  }

  package mutating func member(_ key: StaticString, _ value: Bool) {
    member(key) { $0.raw(value ? "true" : "false") }
  }

  package mutating func value(_ value: String?) {
    guard let value else { return raw("null") }
    separate()
    quote(value)
  }

  package mutating func value<Number: FixedWidthInteger>(_ value: Number?) {
    raw(value.map { String($0) } ?? "null")
  }

  /// Writes a number, like the generic overload but faster.
  package mutating func value(_ value: Int64?) {
    guard let value else { return raw("null") }
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  package mutating func value(_ value: Double?) {
    guard let value, value.isFinite, value.magnitude < 1e15 else { return raw("null") }
    // The detour through an integer avoids `rounded()`, which would need libm; this module does not link it.
    let thousandths = Int64(value * 1000 + (value < 0 ? -0.5 : 0.5))
    raw("\(Double(thousandths) / 1000)")
  }

  /// Writes a value that was read, with the members of objects sorted by name.
  package mutating func value(_ json: JSONValue) {
    switch json {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .number(let text): raw(text)
    case .string(let text): value(text)
    case .array(let elements): array(elements) { json, element in json.value(element) }
    case .object(let members):
      object { json in
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
          json.separate()
          json.quote(key)
          json.bytes.append(UInt8(ascii: ":"))
          json.needsComma = false
          json.value(value)
        }
      }
    }
  }

  private mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Writes a string (RFC 8259 §7). It escapes `<` and `>` too, so that the text may stand inside a script. It does not
  /// escape `&`, so that a target with parameters can be copied from a terminal.
  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    // Most texts need no escaping.
    if bytes[start...].contains(where: Self.isEscaped) {
      bytes.removeSubrange(start...)
      escape(text)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7F, UInt8(ascii: "<"), UInt8(ascii: ">"): true
    default: false
    }
  }

  private mutating func escape(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case _ where Self.isEscaped(byte):
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(Hexadecimal.digit(byte >> 4))
        bytes.append(Hexadecimal.digit(byte & 15))
      default: bytes.append(byte)
      }
    }
  }
}
