package import FootageSystem
internal import FootageTLS

/// The receiving side: it reads records from the socket, and plaintext from the records.
extension Stream {
  /// The result of an attempt to receive without waiting.
  package enum Received { case lent, closed, wouldBlock }

  /// Waits for bytes and passes them to `body`, in the loop's scratch buffer, where they are valid only during the
  /// call.
  ///
  /// - Returns: false if the peer has ended the connection.
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

  /// Passes the bytes that have already arrived to `body`, in the loop's scratch buffer, where they are valid only
  /// during the call. Never waits.
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

  /// Processes data that arrived while no task waited for it. A server's session tickets (RFC 8446 §4.6.1) and key
  /// updates (§4.6.3) may arrive at any time, and are processed by TLS. Anything else, such as the end of the
  /// connection, counts as news.
  ///
  /// - Returns: true if there was news, in which case the connection can no longer be used.
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

  /// Makes the next read ask the socket for bytes although it has reported none. Used after a failure.
  package func expectBytes() { registration.isReadable = true }

  /// Decrypts received bytes into the scratch buffer.
  ///
  /// The bytes may be only part of a record, or a ticket or a key update. Key updates are cheap to send but expensive
  /// to process, and the protocol does not limit them. While they arrive without a pause, the caller's loop does not
  /// end, so their bytes are counted.
  func decrypt(
    _ ciphertext: UnsafeRawBufferPointer, _ tls: TLSStream
  ) throws(StreamError) -> TLSStream.ReadResult {
    let result = try step { () throws(TLSError) in unsafe try tls.receive(ciphertext, into: loop.scratch) }
    guard case .wantRead = result else {
      barrenRecords = BarrenRecords()
      return result
    }
    // Moved out and back, because work in place is checked for exclusive access.
    var barren = barrenRecords
    try barren.add(ciphertext.count)
    barrenRecords = barren
    return result
  }

  /// Returns the bytes that have arrived on the socket. They stay in the loop's buffer until the next call on this
  /// loop. The result is empty at the end of the connection, and nil if nothing has arrived.
  func receiveFromSocket() throws(StreamError) -> UnsafeRawBufferPointer? {
    while registration.isReadable {
      let count: Int?
      do throws(Errno) { count = unsafe try socket.receive(into: loop.received) } catch { throw .disconnected(error) }
      if let count {
        // A short read has emptied the socket. The edge of the next arrival is still to come.
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

  /// Runs a step of TLS and sends the records that it has written to the record buffer.
  func step<Result>(_ body: () throws(TLSError) -> Result) throws(StreamError) -> Result {
    let result = try attempt(body)
    try sendRecords()
    guard writer.waitingByteCount <= Self.unsentLimitWhileReading else { throw .peerDoesNotRead }
    return result
  }

  /// Runs a step of TLS. If it fails, sends the alert that it has written to the record buffer.
  func attempt<Result>(_ body: () throws(TLSError) -> Result) throws(StreamError) -> Result {
    do throws(TLSError) { return try body() } catch {
      // It no longer matters if the alert gets through.
      try? sendRecords()
      throw .tls(error)
    }
  }

  /// The number of bytes that may accumulate for a peer that causes TLS messages but never reads them. Alerts and key
  /// updates are small.
  private static let unsentLimitWhileReading = 64 * 1024
}

/// The amount of ciphertext received since the last record with content.
struct BarrenRecords {
  private var byteCount = 0

  /// The number of bytes that may arrive without content. It allows for an incomplete record of the largest size, and
  /// tickets before it.
  private static let limit = 48 * 1024

  /// Adds ciphertext that has not yielded any content so far.
  ///
  /// - Throws: `StreamError.emptyRecordFlood`.
  mutating func add(_ count: Int) throws(StreamError) {
    byteCount += count
    guard byteCount <= Self.limit else { throw .emptyRecordFlood }
  }
}
