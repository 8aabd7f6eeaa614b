/// The header fields of one head: one copy of its bytes, and the places of the values that may be asked for.

/// RFC 9112 §5.
struct FieldSection: Sendable {
  /// The whole head.
  let bytes: [UInt8]
  private let index: FieldIndex

  init(_ bytes: [UInt8], _ index: FieldIndex) {
    self.bytes = bytes
    self.index = index
  }

  /// Whether the field is there, on one line or more.
  func has(_ name: FieldName) -> Bool { index.has(name) }

  /// Whether there is any field of RFC 9110 §13.1.
  var hasConditions: Bool { index.hasConditions }

  /// Where the value of a field that may stand only once lies in `bytes`; nil when it is missing or repeated.
  func place(ofOnly name: FieldName) -> Range<Int>? { index.place(ofOnly: name) }

  /// The value of a field that may stand only once, without blanks at its ends; nil when it is missing or repeated.
  func value(of name: FieldName) -> ArraySlice<UInt8>? {
    index.place(ofOnly: name).map { bytes[$0] }
  }

  /// The value of a list-based field, its lines joined by commas (RFC 9110 §5.3); nil when it is missing.
  func combinedValue(of name: FieldName) -> ArraySlice<UInt8>? {
    guard index.has(name) else { return nil }
    if let place = index.place(ofOnly: name) { return bytes[place] }
    var joined: [UInt8] = []
    for entry in index.entries where entry.name == name {
      if !joined.isEmpty { joined.append(UInt8(ascii: ",")) }
      joined.append(contentsOf: bytes[entry.value])
    }
    return joined[...]
  }

  /// The lines of a field as text, bytes outside UTF-8 replaced. Allocates: not for the hot path.
  func text(of name: FieldName) -> String? {
    combinedValue(of: name).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Where the values lie, without the bytes: what grows while a head is being read.
struct FieldIndex: Sendable {
  struct Entry: Sendable {
    let name: FieldName
    private let place: FieldRange

    init(_ name: FieldName, _ value: Range<Int>) {
      self.name = name
      place = FieldRange(value)
    }

    var value: Range<Int> { place.range }
  }

  private(set) var entries: [Entry] = []
  /// A bit for each `FieldName`, so that asking for what is not there costs nothing.
  private var present: UInt64 = 0
  private var repeated: UInt64 = 0

  func has(_ name: FieldName) -> Bool { present & Self.bit(name) != 0 }

  var hasConditions: Bool { present & Self.conditions != 0 }

  func isRepeated(_ name: FieldName) -> Bool { repeated & Self.bit(name) != 0 }

  func place(ofOnly name: FieldName) -> Range<Int>? {
    guard has(name), !isRepeated(name) else { return nil }
    for entry in entries where entry.name == name { return entry.value }
    return nil
  }

  mutating func add(_ name: FieldName, _ value: Range<Int>) {
    if entries.capacity == 0 { entries.reserveCapacity(12) }
    repeated |= present & Self.bit(name)
    present |= Self.bit(name)
    entries.append(Entry(name, value))
  }

  /// Whether a list of tokens holds this one, given in lower case, on any of the field's lines.
  func list(_ name: FieldName, of bytes: Span<UInt8>, holds token: StaticString) -> Bool {
    guard has(name) else { return false }
    for entry in entries where entry.name == name {
      var members = ListCursor(entry.value)
      while let member = members.next(in: bytes) {
        if ASCII.matches(bytes, member, ignoringCase: token) { return true }
      }
    }
    return false
  }

  private static let conditions =
    bit(.ifMatch) | bit(.ifNoneMatch) | bit(.ifModifiedSince) | bit(.ifUnmodifiedSince) | bit(.ifRange)

  private static func bit(_ name: FieldName) -> UInt64 { 1 << UInt64(name.rawValue) }
}
