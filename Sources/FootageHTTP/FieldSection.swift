/// The header fields of one head: one copy of its bytes, and the positions of the values that may be asked for.

/// The field section of a head (RFC 9112 §5).
struct FieldSection: Sendable {
  /// The bytes of the whole head.
  let bytes: [UInt8]
  private let index: FieldIndex

  init(_ bytes: [UInt8], _ index: FieldIndex) {
    self.bytes = bytes
    self.index = index
  }

  /// Returns true if the field is present, on one line or more.
  func has(_ name: FieldName) -> Bool { index.has(name) }

  /// True if there is any conditional field of RFC 9110 §13.1.
  var hasConditions: Bool { index.hasConditions }

  /// Returns the position in `bytes` of the value of a field that may occur only once; nil if it is missing or
  /// repeated.
  func place(ofOnly name: FieldName) -> Range<Int>? { index.place(ofOnly: name) }

  /// Returns the value of a field that may occur only once, without blanks at its ends; nil if it is missing or
  /// repeated.
  func value(of name: FieldName) -> ArraySlice<UInt8>? {
    index.place(ofOnly: name).map { bytes[$0] }
  }

  /// Returns the value of a list-based field, its lines joined by commas (RFC 9110 §5.3); nil if it is missing.
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

  /// Returns the lines of a field as text, with bytes outside UTF-8 replaced. It allocates, so do not use it on the hot
  /// path.
  func text(of name: FieldName) -> String? {
    combinedValue(of: name).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The positions of the values, without the bytes. It grows while a head is being read.
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
  /// The present fields, with a bit for each `FieldName`, so that an absent field is found absent at once.
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

  /// Returns true if a list of tokens contains this one on any of the field's lines. The token has to be in lower case.
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
