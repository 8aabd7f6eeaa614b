/// A reader for the small part of XML 1.0 that stores use in their answers: elements and text, step by step. It accepts
/// bytes from untrusted sources.
///
/// Document types are rejected. Therefore there are no entities other than the five of §4.6, no external resources, and
/// no text that expands when it is read. Attributes are skipped, and only the local part of a qualified name counts.
/// Memory is bounded by the size of the input.
struct XMLReader {
  enum Event: Hashable {
    case start(String)
    /// The characters between two tags, never empty. There may be several such events in a row.
    case text(String)
    case end(String)
  }

  private let bytes: [UInt8]
  private var position = 0
  private var open: [[UInt8]] = []
  /// True if an element without content has begun, whose end has not been reported yet.
  private var isEndPending = false
  private var hasRoot = false

  /// The largest depth of nested elements.
  static let depthLimit = 16
  /// The length of the longest name in bytes.
  static let nameLimit = 128

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Returns: nil at the end of the document, after all of it has been read.
  mutating func next() throws(XMLError) -> Event? {
    if isEndPending {
      isEndPending = false
      return try close()
    }
    if !hasRoot { try skipProlog() }
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "<") else {
        if let text = try text() { return text }
        continue
      }
      switch peek(1) {
      case UInt8(ascii: "/"): return try endTag()
      case UInt8(ascii: "!"): try skipComment()
      case UInt8(ascii: "?"): throw XMLError(.processingInstruction, at: position)
      default: return try startTag()
      }
    }
    guard open.isEmpty, hasRoot else { throw XMLError(.cutShort, at: position) }
    return nil
  }

  private func peek(_ distance: Int) -> UInt8? { position + distance < bytes.count ? bytes[position + distance] : nil }

  private func starts(with text: StaticString) -> Bool {
    // Safe because a literal's bytes live as long as the process.
    unsafe bytes[position...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  // MARK: Between elements

  /// Skips the declaration. A slow store keeps the connection alive with blanks, which may precede the declaration.
  private mutating func skipProlog() throws(XMLError) {
    skipBlanks()
    guard starts(with: "<?xml") else { return }
    while position < bytes.count, bytes[position] != UInt8(ascii: ">") { position += 1 }
    guard position < bytes.count, bytes[position - 1] == UInt8(ascii: "?") else {
      throw XMLError(.cutShort, at: position)
    }
    position += 1
    skipBlanks()
  }

  /// Skips a comment (§2.5). Anything else that begins in this way is a document type or a CDATA section, which no
  /// store writes.
  private mutating func skipComment() throws(XMLError) {
    guard starts(with: "<!--") else { throw XMLError(.declaration, at: position) }
    let start = position
    position += 4
    while position < bytes.count {
      if starts(with: "-->") {
        position += 3
        return
      }
      position += 1
    }
    throw XMLError(.cutShort, at: start)
  }

  private mutating func skipBlanks() {
    while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
  }

  // MARK: Tags

  private mutating func startTag() throws(XMLError) -> Event {
    guard !hasRoot || !open.isEmpty else { throw XMLError(.afterTheEnd, at: position) }
    guard open.count < Self.depthLimit else { throw XMLError(.tooDeep, at: position) }
    position += 1
    let name = try qualifiedName()
    hasRoot = true
    open.append(name)
    while true {
      let hadBlank = peek(0).map(Self.isBlank) ?? false
      skipBlanks()
      switch peek(0) {
      case UInt8(ascii: ">"):
        position += 1
        return .start(Self.localName(name))
      case UInt8(ascii: "/"):
        guard peek(1) == UInt8(ascii: ">") else { throw XMLError(.malformedTag, at: position) }
        position += 2
        isEndPending = true
        return .start(Self.localName(name))
      case nil: throw XMLError(.cutShort, at: position)
      default:
        guard hadBlank else { throw XMLError(.malformedTag, at: position) }
        try skipAttribute()
      }
    }
  }

  private mutating func skipAttribute() throws(XMLError) {
    _ = try qualifiedName()
    skipBlanks()
    guard peek(0) == UInt8(ascii: "=") else { throw XMLError(.malformedTag, at: position) }
    position += 1
    skipBlanks()
    guard let quote = peek(0), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw XMLError(.malformedTag, at: position)
    }
    position += 1
    while let byte = peek(0), byte != quote {
      guard byte != UInt8(ascii: "<") else { throw XMLError(.malformedTag, at: position) }
      position += 1
    }
    guard position < bytes.count else { throw XMLError(.cutShort, at: position) }
    position += 1
  }

  private mutating func endTag() throws(XMLError) -> Event {
    let start = position
    position += 2
    let name = try qualifiedName()
    skipBlanks()
    guard let byte = peek(0) else { throw XMLError(.cutShort, at: position) }
    guard byte == UInt8(ascii: ">") else { throw XMLError(.malformedTag, at: position) }
    guard open.last == name else { throw XMLError(.otherEnd, at: start) }
    position += 1
    return try close()
  }

  private mutating func close() throws(XMLError) -> Event {
    guard let name = open.popLast() else { throw XMLError(.otherEnd, at: position) }
    return .end(Self.localName(name))
  }

  /// Reads a name (§2.3), in ASCII only.
  private mutating func qualifiedName() throws(XMLError) -> [UInt8] {
    let start = position
    while let byte = peek(0), Self.isNameByte(byte) { position += 1 }
    guard position < bytes.count else { throw XMLError(.cutShort, at: position) }
    guard (1...Self.nameLimit).contains(position - start) else { throw XMLError(.malformedTag, at: start) }
    return Array(bytes[start..<position])
  }

  private static func localName(_ name: [UInt8]) -> String {
    let start = name.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? 0
    return String(decoding: name[start...], as: UTF8.self)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  // MARK: Text

  /// - Returns: nil for blanks outside the root.
  private mutating func text() throws(XMLError) -> Event? {
    let start = position
    var characters: [UInt8] = []
    while let byte = peek(0), byte != UInt8(ascii: "<") {
      guard byte == UInt8(ascii: "&") else {
        guard byte >= 0x20 || Self.isBlank(byte) else { throw XMLError(.forbiddenCharacter, at: position) }
        characters.append(byte)
        position += 1
        continue
      }
      characters += try reference()
    }
    guard !open.isEmpty else {
      guard characters.allSatisfy(Self.isBlank) else { throw XMLError(.afterTheEnd, at: start) }
      return nil
    }
    guard let text = String(validating: characters, as: UTF8.self) else { throw XMLError(.notUTF8, at: start) }
    return .text(text)
  }

  /// Reads a reference (§4.1, §4.6): a character by its number, or one of the five predefined entities by its name.
  private mutating func reference() throws(XMLError) -> [UInt8] {
    let start = position
    position += 1
    // The longest is "&#x10FFFF;".
    var name: [UInt8] = []
    while let byte = peek(0), Self.isNameByte(byte) || byte == UInt8(ascii: "#"), name.count < 9 {
      name.append(byte)
      position += 1
    }
    guard position < bytes.count else { throw XMLError(.cutShort, at: position) }
    guard peek(0) == UInt8(ascii: ";") else { throw XMLError(.unknownEntity, at: start) }
    position += 1
    switch String(decoding: name, as: UTF8.self) {
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "amp": return [UInt8(ascii: "&")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    case let reference where reference.utf8.first == UInt8(ascii: "#"):
      let digits = reference.dropFirst()
      let isHexadecimal = digits.first == "x"
      let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      // §2.2
      guard let number, let scalar = Unicode.Scalar(number),
        number >= 0x20 || number == 0x09 || number == 0x0A || number == 0x0D, number != 0xFFFE, number != 0xFFFF
      else { throw XMLError(.forbiddenCharacter, at: start) }
      return Array(String(Character(scalar)).utf8)
    default: throw XMLError(.unknownEntity, at: start)
    }
  }
}

/// The reason why bytes are not a document that a store would write.
package struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: String, Hashable, Sendable {
    case cutShort = "it is cut short"
    case malformedTag = "a tag is malformed"
    case otherEnd = "an end tag does not match its start tag"
    case tooDeep = "elements are nested too deeply"
    case tooManyElements = "it has too many elements"
    case afterTheEnd = "there is content outside its root element"
    case declaration = "it has a document type or a section, which no store writes"
    case processingInstruction = "it has a processing instruction, which no store writes"
    case unknownEntity = "it has an entity that XML does not define"
    case forbiddenCharacter = "it has a character that XML does not allow"
    case notUTF8 = "it is not UTF-8"
  }

  package let reason: Reason
  /// The offset in bytes from the start.
  package let offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  package var description: String { "the XML is malformed at byte \(offset): \(reason.rawValue)" }
}
