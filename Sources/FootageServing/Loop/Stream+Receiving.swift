package import FootageSystem
internal import FootageTLS

/// What comes: records out of the socket, and plaintext out of them.
extension Stream {
  /// What has come.
  package enum Received { case lent, closed, wouldBlock }

  /// Waits for bytes and lends them to `body`, in the loop's scratch buffer and only during the call.
  ///
  /// - Returns: false where the peer has ended the connection.
  package func receive(
    until deadline: Deadline, _ body: (UnsafeRawBufferPointer) -> Void
  ) async throws(StreamError) -> Bool {
    while true {
      switch unsafe try receiveNow(body) {
      case .lent: return true
      case .closed: return false
      case .wouldBlock: try await wait(toReady: .read, until: deadline)
      }
    }
  }

  /// Lends bytes to `body` that have come already, in the loop's scratch buffer and only during the call. Never waits.
  @inline(never)
  package func receiveNow(_ body: (UnsafeRawBufferPointer) -> Void) throws(StreamError) -> Received {
    guard !isClosed else { throw .aborted }
    guard let tls else {
      guard let bytes = unsafe try receiveFromSocket() else { return .wouldBlock }
      guard bytes.count > 0 else { return .closed }
      unsafe body(bytes)
      return .lent
    }
    // Records that came together with the last one.
    var result = TLSStream.ReadResult.wantRead
    if tls.hasPending { result = try step { () throws(TLSError) in unsafe try tls.read(into: loop.scratch) } }
    while case .wantRead = result {
      guard let ciphertext = unsafe try receiveFromSocket() else { return .wouldBlock }
      result = unsafe try decrypt(ciphertext, tls)
    }
    guard case .bytes(let count) = result else { return .closed }
    unsafe body(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
    return .lent
  }

  /// Takes in what came although nobody waited for it. A server's session tickets come when they like (RFC 8446
  /// §4.6.1), key updates too (§4.6.3): they belong to TLS. Everything else, the peer's end above all, is news.
  ///
  /// - Returns: whether there was news: then the connection is of no more use.
  package func takeNews() -> Bool {
    guard !isClosed else { return true }
    do throws(StreamError) {
      guard let tls else { return unsafe try receiveFromSocket() != nil }
      var result = TLSStream.ReadResult.wantRead
      if tls.hasPending { result = try step { () throws(TLSError) in unsafe try tls.read(into: loop.scratch) } }
      while case .wantRead = result {
        guard let ciphertext = unsafe try receiveFromSocket() else { return false }
        result = unsafe try decrypt(ciphertext, tls)
      }
      return true
    } catch {
      return true
    }
  }

  /// Has the socket asked for bytes again, though nothing has told of any: after a failure.
  package func expectBytes() { registration.isReadable = true }

  /// Takes what has come into the scratch buffer.
  ///
  /// A record may be there in part only, or carry a ticket or a key update. But key updates cost their sender little
  /// and their reader a lot, there is no limit to them in the protocol, and while they come without a pause this does
  /// not end.
  func decrypt(
    _ ciphertext: UnsafeRawBufferPointer, _ tls: TLSStream
  ) throws(StreamError) -> TLSStream.ReadResult {
    let result = try step { () throws(TLSError) in unsafe try tls.receive(ciphertext, into: loop.scratch) }
    guard case .wantRead = result else {
      barrenRecords = BarrenRecords()
      return result
    }
    // Moved out and back: what is worked on in place is checked for exclusive access.
    var barren = barrenRecords
    try barren.add(ciphertext.count)
    barrenRecords = barren
    return result
  }

  /// What the socket has, in the loop's buffer until the next call on this loop; empty at the end, nil where nothing
  /// has come.
  func receiveFromSocket() throws(StreamError) -> UnsafeRawBufferPointer? {
    while registration.isReadable {
      let count: Int?
      do throws(Errno) { count = unsafe try socket.receive(into: loop.received) } catch { throw .disconnected(error) }
      if let count {
        // A short read has emptied the socket; the edge of the next arrival is still to come.
        if unsafe count > 0 && count < loop.received.count && !registration.hasHungUp {
          registration.isReadable = false
        }
        if count == 0 { tls?.receivedEnd() }
        return unsafe UnsafeRawBufferPointer(rebasing: loop.received[..<count])
      }
      registration.isReadable = false
    }
    return nil
  }

  /// Runs a piece of TLS and sends what it left in the record buffer.
  func step<Result>(_ body: () throws(TLSError) -> Result) throws(StreamError) -> Result {
    let result = try attempt(body)
    try sendRecords()
    guard writer.waitingByteCount <= Self.unsentLimitWhileReading else { throw .peerDoesNotRead }
    return result
  }

  /// Runs a piece of TLS, and where that fails sends what it left in the record buffer: an alert.
  func attempt<Result>(_ body: () throws(TLSError) -> Result) throws(StreamError) -> Result {
    do throws(TLSError) { return try body() } catch {
      // Whether the alert gets through changes nothing any more.
      try? sendRecords()
      throw .tls(error)
    }
  }

  /// What may pile up for a peer that makes us answer and never reads: alerts and key updates are small.
  private static let unsentLimitWhileReading = 64 * 1024
}

/// What has come since there was last something in it.
struct BarrenRecords {
  private var byteCount = 0

  /// What may come that carries nothing: the beginning of the largest record, and tickets before it.
  private static let limit = 48 * 1024

  /// Ciphertext came that carries nothing, as far as it has come.
  ///
  /// - Throws: `StreamError.emptyRecordFlood`.
  mutating func add(_ count: Int) throws(StreamError) {
    byteCount += count
    guard byteCount <= Self.limit else { throw .emptyRecordFlood }
  }
}
