internal import FootageSystem
internal import FootageTLS

/// What goes: plaintext into records, and these into the socket or, where it is full, into the writer.
extension Stream {
  /// How much to send in one go: as much as the socket took lately, and less where the loop's streams keep much unsent.
  package var turnByteCount: Int {
    let turn = writer.turnByteCount
    return loop.unsentByteCount <= BufferSize.unsentOfAll ? turn : min(turn, BufferSize.tightTurn)
  }

  /// Encrypts and sends the bytes at once, as far as the socket takes them; the rest is kept for `flush`.
  ///
  /// - Precondition: nothing is left from before, and there are `BufferSize.scratch` bytes at most.
  /// - Returns: whether all of it went out.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(StreamError) -> Bool {
    guard !isClosed else { throw .aborted }
    if let tls {
      takeUpDeferredRecords()
      do throws(TLSError) { unsafe try encrypt(bytes, tls) } catch {
        // The buffer is the next connection's in a moment.
        loop.records.removeAll()
        throw .tls(error)
      }
      try sendRecords()
    } else {
      unsafe try sendNow(bytes)
    }
    if !writer.isEmpty { unsentAllowance.grant(socket, on: loop) }
    if let isFast = writer.endTurn(of: bytes.count, at: { loop.clock.now }) {
      unsentAllowance.setFast(isFast, socket, on: loop)
    }
    return writer.isEmpty
  }

  /// Into records of 16 KiB, the first after a pause smaller.
  private func encrypt(_ bytes: UnsafeRawBufferPointer, _ tls: TLSStream) throws(TLSError) {
    var position = 0
    if !tls.speaksFirst {
      // Moved out and back: what is worked on in place is checked for exclusive access.
      var sizing = recordSizing
      let smallRecordCount = sizing.smallRecordCount(in: bytes.count, at: loop.now)
      recordSizing = sizing
      for _ in 0..<smallRecordCount {
        let end = position + RecordSizing.smallRecord
        unsafe try tls.write(UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
        position = end
      }
    }
    unsafe try tls.write(UnsafeRawBufferPointer(rebasing: bytes[position...]))
  }

  /// Waits until the socket has taken all that was left, as long as it takes some of it every now and then.
  ///
  /// - Parameter idle: how long it may take none.
  package func flush(idle: Duration) async throws(StreamError) {
    while !writer.isEmpty {
      try await wait(toReady: .write, until: loop.clock.deadline(after: idle))
      try sendUnsent()
    }
  }

  /// Waits until the socket has taken all that was left, or until something has come, which is to be received before it
  /// is waited for again.
  ///
  /// - Parameter idle: how long neither may happen.
  /// - Returns: whether all was taken.
  package func flushUntilReadable(idle: Duration) async throws(StreamError) -> Bool {
    while !writer.isEmpty {
      try await wait(toReady: .either, until: loop.clock.deadline(after: idle))
      if registration.isWritable { try sendUnsent() }
      if registration.isReadable { return writer.isEmpty }
    }
    return true
  }

  func flush(until deadline: Deadline) async throws(StreamError) {
    while !writer.isEmpty {
      try await wait(toReady: .write, until: deadline)
      try sendUnsent()
    }
  }

  /// Puts them where they belong: before what is written next.
  private func takeUpDeferredRecords() {
    guard writer.isDeferred else { return }
    loop.unsentByteCount -= writer.storedByteCount
    unsafe writer.takeDeferred().withUnsafeBytes { _ = unsafe loop.records.append($0) }
  }

  func sendRecords() throws(StreamError) {
    let records = loop.records
    guard records.count > 0 else { return }
    defer { records.removeAll() }
    unsafe try sendNow(records.bytes)
  }

  private func sendNow(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
    let before = writer.storedByteCount
    defer { loop.unsentByteCount += writer.storedByteCount - before }
    unsafe try writer.send(bytes) { (bytes) throws(StreamError) in unsafe try sendToSocket(bytes) }
  }

  @inline(never)
  func sendUnsent() throws(StreamError) {
    let before = writer.storedByteCount
    defer { loop.unsentByteCount += writer.storedByteCount - before }
    unsafe try writer.flush { (bytes) throws(StreamError) in unsafe try sendToSocket(bytes) }
  }

  /// - Returns: how many bytes the socket took; 0 where it is full.
  private func sendToSocket(_ bytes: UnsafeRawBufferPointer) throws(StreamError) -> Int {
    let count: Int
    do throws(Errno) { count = unsafe try socket.send(bytes) ?? 0 } catch { throw .disconnected(error) }
    handedOverByteCount &+= UInt64(count)
    if count < bytes.count { registration.isWritable = false }
    return count
  }

  /// What was made for the peer since the connection began, TLS and its handshake included.
  package var producedByteCount: UInt64 { handedOverByteCount &+ UInt64(writer.waitingByteCount) }

  /// Whether bytes wait for the peer to take some.
  package var isWaitingToSend: Bool { !writer.isEmpty && !writer.isDeferred }

  /// How many bytes the peer has taken since the connection began, as far as its kernel has said. Asks this one's.
  package var takenByteCount: UInt64 { handedOverByteCount &- UInt64(socket.unacknowledgedByteCount) }
}
