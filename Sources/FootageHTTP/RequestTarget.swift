internal import FootageBase

/// The parts of a request target (RFC 9112 §3.2), as positions in the head.
struct RequestTarget: Sendable {
  private let wholePlace: FieldRange
  private let pathPlace: FieldRange
  private let queryPlace: FieldRange?
  private let authorityPlace: FieldRange?

  var whole: Range<Int> { wholePlace.range }
  /// The position of the path, which begins with `/` or is `*`.
  var path: Range<Int> { pathPlace.range }
  /// The position of the query, without its `?`.
  var query: Range<Int>? { queryPlace?.range }
  /// The position of the authority, which only the absolute form has.
  var authority: Range<Int>? { authorityPlace?.range }

  /// - Throws: `targetMalformed`, `hostMalformed`.
  init(_ bytes: Span<UInt8>, _ target: Range<Int>, method: HTTPMethod) throws(MessageRefusal) {
    wholePlace = FieldRange(target)
    if method == .options, ASCII.matches(bytes, target, exactly: "*") {
      pathPlace = FieldRange(target)
      queryPlace = nil
      authorityPlace = nil
      return
    }
    let host = bytes[target.lowerBound] == UInt8(ascii: "/") ? nil : try Self.authority(bytes, target)
    authorityPlace = host.map { FieldRange($0) }
    let start = host?.upperBound ?? target.lowerBound
    let pathEnd = try Self.endOfPath(bytes, start..<target.upperBound)
    if pathEnd > start {
      pathPlace = FieldRange(start..<pathEnd)
    } else {
      // An address without a path means "/" (RFC 9110 §4.2.3). The slash before its host serves as that path.
      let slash = (host?.lowerBound ?? start) - 1
      pathPlace = FieldRange(slash..<slash + 1)
    }
    guard pathEnd < target.upperBound else {
      queryPlace = nil
      return
    }
    let query = pathEnd + 1..<target.upperBound
    try Self.checkQuery(bytes, query)
    queryPlace = FieldRange(query)
  }

  /// Returns the position of the host and port in the absolute form, which a server must accept (RFC 9112 §3.2.2).
  private static func authority(_ bytes: Span<UInt8>, _ target: Range<Int>) throws(MessageRefusal) -> Range<Int> {
    for scheme: StaticString in ["https://", "http://"] {
      let start = target.lowerBound + scheme.utf8CodeUnitCount
      guard start <= target.upperBound,
        ASCII.matches(bytes, target.lowerBound..<start, ignoringCase: scheme)
      else { continue }
      var end = start
      while end < target.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
      guard isHost(bytes, start..<end) else { throw MessageRefusal(.hostMalformed, at: start) }
      return start..<end
    }
    throw MessageRefusal(.targetMalformed, at: target.lowerBound)
  }

  private static func endOfPath(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(MessageRefusal) -> Int {
    var position = range.lowerBound
    while position < range.upperBound {
      let byte = bytes[position]
      if byte == UInt8(ascii: "?") { return position }
      guard isAllowed(byte) else { throw MessageRefusal(.targetMalformed, at: position) }
      if byte == UInt8(ascii: "%") {
        guard position + 2 < range.upperBound, Hexadecimal.value(bytes[position + 1]) != nil,
          Hexadecimal.value(bytes[position + 2]) != nil
        else { throw MessageRefusal(.targetMalformed, at: position) }
      }
      position &+= 1
    }
    return position
  }

  /// Checks a query. It accepts a stray `%`, because this server decides whether to interpret or ignore a query.
  private static func checkQuery(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(MessageRefusal) {
    for position in range where !isAllowed(bytes[position]) {
      throw MessageRefusal(.targetMalformed, at: position)
    }
  }

  /// Returns true for printable ASCII except `#`, which never leaves a client. Browsers violate RFC 3986 by sending
  /// characters such as `|` unescaped. That is harmless, because a path is only looked up.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte > ASCII.space && byte < ASCII.delete && byte != UInt8(ascii: "#")
  }

  /// Returns true if the range is `uri-host [":" port]` of RFC 9110 §7.2 with a host that is not empty.
  static func isHost(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return false }
    var position = range.lowerBound
    let isLiteral = bytes[position] == UInt8(ascii: "[")
    if isLiteral { position += 1 }
    let start = position
    while position < range.upperBound, isLiteral ? isAddressLetter(bytes[position]) : isNameLetter(bytes[position]) {
      position += 1
    }
    guard position > start else { return false }
    if isLiteral {
      guard position < range.upperBound, bytes[position] == UInt8(ascii: "]") else { return false }
      position += 1
    }
    guard position < range.upperBound else { return true }
    guard bytes[position] == UInt8(ascii: ":") else { return false }
    guard position + 1 < range.upperBound else { return true }
    return ASCII.decimal(bytes, position + 1..<range.upperBound).map { $0 <= 65_535 } ?? false
  }

  /// Returns true for a character of a `reg-name` (RFC 3986 §3.2.2).
  private static func isNameLetter(_ byte: UInt8) -> Bool {
    if ASCII.isLetter(byte) || ASCII.isDigit(byte) { return true }
    return switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
      UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
      UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// Returns true for a character of an `IP-literal` (RFC 3986 §3.2.2), including the zone of RFC 6874.
  private static func isAddressLetter(_ byte: UInt8) -> Bool {
    isNameLetter(byte) || byte == UInt8(ascii: ":")
  }
}
