/// Splits a head into lines as its bytes arrive, and reads its fields. It examines each byte only once, however slowly
/// the bytes arrive.
struct HeadScanner {
  let limits: HTTPLimits
  /// The number of bytes that need not be examined again.
  private(set) var examined = 0
  private(set) var index = FieldIndex()
  private var lineStart = 0
  private var fieldCount = 0

  init(_ limits: HTTPLimits) {
    self.limits = limits
  }

  /// The most bytes of a head, within what an index entry can hold.
  var headLimit: Int { min(limits.headBytes, Int(UInt16.max)) }

  /// Returns the next line without its CR LF, or nil if more bytes are needed. Bare CR and LF are rejected (RFC 9112
  /// §2.2).
  ///
  /// - Parameter limit: the position at which the line must have ended, in bytes from the start of the head.
  mutating func nextLine(
    _ bytes: Span<UInt8>, limit: Int, beyondLimit: MessageRefusal.Reason
  ) throws(MessageRefusal) -> Range<Int>? {
    let end = min(bytes.count, limit)
    var position = examined
    while position < end {
      if position + 8 <= end {
        let plain = ASCII.plainPrefix(bytes, position)
        position &+= plain
        if plain == 8 { continue }
      }
      let byte = bytes[position]
      if byte >= ASCII.space && byte != ASCII.delete || byte == ASCII.tab {
        position &+= 1
        continue
      }
      guard byte == ASCII.carriageReturn else {
        throw MessageRefusal(byte == ASCII.lineFeed ? .bareLineFeed : .controlByte, at: position)
      }
      guard position + 1 < end else { break }
      guard bytes[position + 1] == ASCII.lineFeed else { throw MessageRefusal(.bareCarriageReturn, at: position) }
      let line = lineStart..<position
      examined = position + 2
      lineStart = examined
      return line
    }
    examined = max(examined, position)
    guard bytes.count < limit else { throw MessageRefusal(beyondLimit, at: limit) }
    return nil
  }

  /// Reads the field lines up to the empty line.
  ///
  /// - Returns: false if more bytes are needed.
  mutating func readFields(_ bytes: Span<UInt8>) throws(MessageRefusal) -> Bool {
    while let line = try nextLine(bytes, limit: headLimit, beyondLimit: .headTooLong) {
      if line.isEmpty { return true }
      try readField(bytes, line)
    }
    return false
  }

  /// Reads a field line (RFC 9112 §5): `field-name ":" OWS field-value OWS`.
  private mutating func readField(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(MessageRefusal) {
    fieldCount += 1
    guard fieldCount <= limits.fieldCount else { throw MessageRefusal(.tooManyFields, at: line.lowerBound) }
    guard !ASCII.isBlank(bytes[line.lowerBound]) else { throw MessageRefusal(.lineFolding, at: line.lowerBound) }
    var colon = line.lowerBound
    while colon < line.upperBound, ASCII.isToken(bytes[colon]) { colon &+= 1 }
    guard colon < line.upperBound else { throw MessageRefusal(.colonMissing, at: line.lowerBound) }
    guard bytes[colon] == UInt8(ascii: ":") else {
      throw MessageRefusal(ASCII.isBlank(bytes[colon]) ? .blankBeforeColon : .fieldNameMalformed, at: colon)
    }
    guard colon > line.lowerBound else { throw MessageRefusal(.fieldNameMalformed, at: colon) }
    if let name = FieldName(bytes, line.lowerBound..<colon) {
      index.add(name, ASCII.trimmed(bytes, colon + 1..<line.upperBound))
    }
  }
}

extension HeadScanner {
  /// Evaluates `Content-Length` and `Transfer-Encoding` together (RFC 9112 §6). A combination that two parsers could
  /// read differently is rejected, because it could be used to smuggle requests.
  ///
  /// - Returns: nil if the head has neither field.
  func bodyFraming(_ bytes: Span<UInt8>, version: HTTPVersion) throws(MessageRefusal) -> BodyFraming? {
    func refusal(_ reason: MessageRefusal.Reason, _ name: FieldName) -> MessageRefusal {
      MessageRefusal(reason, at: index.entries.last { $0.name == name }?.value.lowerBound ?? 0)
    }
    if index.has(.transferEncoding) {
      guard version == .http11 else { throw refusal(.transferEncodingInHTTP10, .transferEncoding) }
      guard !index.has(.contentLength) else { throw refusal(.contentLengthWithTransferEncoding, .contentLength) }
      guard let place = index.place(ofOnly: .transferEncoding),
        ASCII.matches(bytes, place, ignoringCase: "chunked")
      else { throw refusal(.transferCodingUnsupported, .transferEncoding) }
      return .chunked
    }
    guard index.has(.contentLength) else { return nil }
    guard let place = index.place(ofOnly: .contentLength) else {
      throw refusal(.contentLengthRepeated, .contentLength)
    }
    guard let length = ASCII.decimal(bytes, place) else { throw refusal(.contentLengthMalformed, .contentLength) }
    return .length(length)
  }

  /// Returns true if the connection may be used again (RFC 9112 §9.3).
  func keepsAlive(_ bytes: Span<UInt8>, version: HTTPVersion) -> Bool {
    guard index.has(.connection) else { return version == .http11 }
    if index.list(.connection, of: bytes, holds: "close") { return false }
    return version == .http11 || index.list(.connection, of: bytes, holds: "keep-alive")
  }
}

/// The rule for the end of a message's body (RFC 9112 §6).
package enum BodyFraming: Hashable, Sendable {
  case none
  /// The body has this number of bytes.
  case length(UInt64)
  case chunked
}
