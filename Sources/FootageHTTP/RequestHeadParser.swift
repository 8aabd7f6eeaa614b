/// Reads request heads strictly by RFC 9112, from bytes that arrive in pieces of any size.

/// A parser for the request heads of one connection. It examines each byte of a head only once, however slowly the
/// bytes arrive. After a complete head it is ready for the next one; after a refusal the connection must be closed.
package struct RequestHeadParser {
  /// The result for the bytes so far.
  package enum Outcome: Sendable {
    /// The head is not complete. Call again with the same bytes and those that have arrived since.
    case incomplete
    /// The first `byteCount` bytes were the head. Whatever follows is its body or the next request.
    case complete(RequestHead, byteCount: Int)
    case refused(MessageRefusal)
  }

  private var scanner: HeadScanner
  private var line: RequestLine?

  private struct RequestLine {
    let method: HTTPMethod
    let target: RequestTarget
    let version: HTTPVersion
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

  private mutating func read(_ bytes: Span<UInt8>) throws(MessageRefusal) -> RequestHead? {
    while line == nil {
      let start = scanner.examined
      let limit = min(scanner.limits.targetBytes + HTTPLimits.requestLineAllowance, scanner.headLimit)
      guard let place = try scanner.nextLine(bytes, limit: limit, beyondLimit: .targetTooLong) else { return nil }
      if place.isEmpty {
        // Old clients send one empty line after a body (RFC 9112 §2.2).
        guard place.lowerBound == 0 else { throw MessageRefusal(.requestLineEmpty, at: start) }
        continue
      }
      line = try readLine(bytes, place)
    }
    guard let line, try scanner.readFields(bytes) else { return nil }
    return try finish(bytes, line)
  }

  /// Reads the request line (RFC 9112 §3): `method SP request-target SP HTTP-version`.
  private func readLine(_ bytes: Span<UInt8>, _ place: Range<Int>) throws(MessageRefusal) -> RequestLine {
    var methodEnd = place.lowerBound
    while methodEnd < place.upperBound, ASCII.isToken(bytes[methodEnd]) { methodEnd += 1 }
    guard methodEnd > place.lowerBound, methodEnd < place.upperBound, bytes[methodEnd] == ASCII.space else {
      throw MessageRefusal(.requestLineMalformed, at: methodEnd)
    }
    let method = HTTPMethod(bytes, place.lowerBound..<methodEnd)
    let targetStart = methodEnd + 1
    var targetEnd = targetStart
    while targetEnd < place.upperBound, bytes[targetEnd] != ASCII.space { targetEnd &+= 1 }
    guard targetEnd > targetStart else { throw MessageRefusal(.requestLineMalformed, at: targetStart) }
    guard targetEnd - targetStart <= scanner.limits.targetBytes else {
      throw MessageRefusal(.targetTooLong, at: targetStart)
    }
    guard targetEnd < place.upperBound else { throw MessageRefusal(.versionMissing, at: targetEnd) }
    let version = try HTTPVersion(bytes, targetEnd + 1..<place.upperBound)
    guard method != .connect else { throw MessageRefusal(.tunnelUnsupported, at: place.lowerBound) }
    let target = try RequestTarget(bytes, targetStart..<targetEnd, method: method)
    return RequestLine(method: method, target: target, version: version)
  }

  private func finish(_ bytes: Span<UInt8>, _ line: RequestLine) throws(MessageRefusal) -> RequestHead {
    try checkHost(bytes, line)
    var body = try scanner.bodyFraming(bytes, version: line.version) ?? .none
    if body == .length(0) { body = .none }
    let expectsContinue =
      body != .none && line.version == .http11 && scanner.index.list(.expect, of: bytes, holds: "100-continue")
    // Safe because the copy is made before the borrow of the bytes ends.
    let copy = unsafe bytes.extracting(0..<scanner.examined).withUnsafeBufferPointer { unsafe Array($0) }
    return RequestHead(
      method: line.method, version: line.version, target: line.target, fields: FieldSection(copy, scanner.index),
      body: body, keepsAlive: scanner.keepsAlive(bytes, version: line.version), expectsContinue: expectsContinue)
  }

  /// Checks the `Host` field (RFC 9112 §3.2). HTTP/1.1 needs exactly one valid field; in 1.0 it may be missing.
  private func checkHost(_ bytes: Span<UInt8>, _ line: RequestLine) throws(MessageRefusal) {
    guard scanner.index.has(.host) else {
      guard line.version == .http10 else { throw MessageRefusal(.hostMissing, at: scanner.examined) }
      return
    }
    guard let place = scanner.index.place(ofOnly: .host) else {
      throw MessageRefusal(.hostRepeated, at: scanner.index.entries.last { $0.name == .host }?.value.lowerBound ?? 0)
    }
    guard RequestTarget.isHost(bytes, place) else { throw MessageRefusal(.hostMalformed, at: place.lowerBound) }
  }
}

extension HTTPVersion {
  /// Reads a version (RFC 9112 §2.3): `HTTP/` digit `.` digit, in capitals.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(MessageRefusal) {
    let start = range.lowerBound
    guard range.count == 8, ASCII.matches(bytes, start..<start + 5, exactly: "HTTP/"),
      ASCII.isDigit(bytes[start + 5]), bytes[start + 6] == UInt8(ascii: "."), ASCII.isDigit(bytes[start + 7]),
      bytes[start + 5] != UInt8(ascii: "0")
    else { throw MessageRefusal(.versionMalformed, at: start) }
    guard bytes[start + 5] == UInt8(ascii: "1") else { throw MessageRefusal(.versionUnsupported, at: start) }
    self = bytes[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
  }
}
