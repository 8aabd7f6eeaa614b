/// Reads response heads, as strictly as requests: a client that guesses where a body ends mixes up its answers.

/// One per connection; a head's bytes are looked at once however they drip in. After a complete head it is ready for
/// the next one, such as the one that follows a 100; after a refusal the connection is to be closed.
package struct ResponseHeadParser {
  /// What the bytes so far come to.
  package enum Outcome: Sendable {
    /// Call again with the same bytes and those that came since.
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

  /// At the beginning of a connection.
  package init(limits: HTTPLimits = .standard) {
    scanner = HeadScanner(limits)
  }

  /// - Parameter bytes: everything received from the head's first byte on, also what may follow the head.
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

  /// RFC 9112 §4: `HTTP-version SP 3DIGIT SP [ reason-phrase ]`.
  private func readLine(_ bytes: Span<UInt8>, _ place: Range<Int>) throws(MessageRefusal) -> StatusLine {
    let start = place.lowerBound
    guard place.count >= 13, bytes[start + 8] == ASCII.space, bytes[start + 12] == ASCII.space,
      let code = ASCII.decimal(bytes, start + 9..<start + 12), code >= 100
    else { throw MessageRefusal(.statusLineMalformed, at: start) }
    return StatusLine(version: try HTTPVersion(bytes, start..<start + 8), status: HTTPStatus(Int(code)))
  }
}
