/// Reads response heads as strictly as requests: a client that guesses where a body ends may confuse two responses.

/// A parser for the response heads of one connection. It examines each byte of a head only once, however slowly the
/// bytes arrive. After a complete head it is ready for the next one, such as the head that follows a 100. After a
/// refusal the connection must be closed.
package struct ResponseHeadParser {
  /// The result for the bytes so far.
  package enum Outcome: Sendable {
    /// The head is not complete. Call again with the same bytes and those that have arrived since.
    case incomplete
    /// The first `byteCount` bytes were the head.
    case complete(ResponseHead, byteCount: Int)
    case refused(MessageRefusal)
  }

  private var scanner: HeadScanner
  private var line: StatusLine?

  private struct StatusLine {
    let version: HTTPVersion
    let status: HTTPStatus
  }

  /// Creates a parser for the beginning of a connection.
  package init(limits: HTTPLimits = .standard) {
    scanner = HeadScanner(limits)
  }

  /// - Parameter bytes: everything received from the head's first byte on, including bytes after the head.
  package mutating func parse(_ bytes: Span<UInt8>) -> Outcome {
    do throws(MessageRefusal) {
      guard let head = try read(bytes) else { return .incomplete }
      let byteCount = scanner.examined
      scanner = HeadScanner(scanner.limits)
      line = nil
      return .complete(head, byteCount: byteCount)
    } catch {
      return .refused(error)
    }
  }

  private mutating func read(_ bytes: Span<UInt8>) throws(MessageRefusal) -> ResponseHead? {
    if line == nil {
      guard let place = try scanner.nextLine(bytes, limit: scanner.headLimit, beyondLimit: .headTooLong) else {
        return nil
      }
      line = try readLine(bytes, place)
    }
    guard let line, try scanner.readFields(bytes) else { return nil }
    let framing = try scanner.bodyFraming(bytes, version: line.version)
    // Safe because the copy is made before the borrow of the bytes ends.
    let copy = unsafe bytes.extracting(0..<scanner.examined).withUnsafeBufferPointer { unsafe Array($0) }
    return ResponseHead(
      status: line.status, version: line.version, fields: FieldSection(copy, scanner.index), framing: framing,
      keepsAlive: scanner.keepsAlive(bytes, version: line.version))
  }

  /// Reads the status line (RFC 9112 §4): `HTTP-version SP 3DIGIT SP [ reason-phrase ]`.
  private func readLine(_ bytes: Span<UInt8>, _ place: Range<Int>) throws(MessageRefusal) -> StatusLine {
    let start = place.lowerBound
    guard place.count >= 13, bytes[start + 8] == ASCII.space, bytes[start + 12] == ASCII.space,
      let code = ASCII.decimal(bytes, start + 9..<start + 12), code >= 100
    else { throw MessageRefusal(.statusLineMalformed, at: start) }
    return StatusLine(version: try HTTPVersion(bytes, start..<start + 8), status: HTTPStatus(Int(code)))
  }
}
