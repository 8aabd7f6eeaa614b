internal import FootageSystem
internal import FootageTLS

/// The sending side: it encrypts plaintext into records, and writes these to the socket or, if that is full, to the
/// writer.
extension Stream {
  /// The number of bytes to send at once. It follows the number that the socket has accepted recently, and is smaller
  /// if the loop's streams hold many unsent bytes.
  package var turnByteCount: Int {
    let turn = writer.turnByteCount
    return loop.unsentByteCount <= BufferSize.unsentOfAll ? turn : min(turn, BufferSize.tightTurn)
  }

  /// Encrypts the bytes and sends as many as the socket accepts at once. Keeps the rest for `flush`.
  ///
  /// - Precondition: nothing is left from an earlier call, and there are `BufferSize.scratch` bytes at most.
  /// - Returns: true if the socket accepted all of them.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(StreamError) -> Bool {
    guard !isClosed else { throw .aborted }
    if let tls {
      takeUpDeferredRecords()
      do throws(TLSError) { unsafe try encrypt(bytes, tls) } catch {
        // In a moment the buffer is used by another connection.
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

  /// Encrypts into records of 16 KiB. The first ones after a pause are smaller.
  private func encrypt(_ bytes: UnsafeRawBufferPointer, _ tls: TLSStream) throws(TLSError) {
    var position = 0
    if !tls.speaksFirst {
      // Moved out and back, because work in place is checked for exclusive access.
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

  /// Waits until the socket has accepted all remaining bytes. It continues as long as the socket accepts more of them
  /// within `idle`.
  ///
  /// - Parameter idle: the longest time in which the socket may accept nothing.
  package func flush(idle: Duration) async throws(StreamError) {
    while !writer.isEmpty {
      try await wait(toReady: .write, until: loop.clock.deadline(after: idle))
      try sendUnsent()
    }
  }

  /// Waits until the socket has accepted all remaining bytes, or until bytes have arrived. Bytes that have arrived must
  /// be received before the next call.
  ///
  /// - Parameter idle: the longest time during which the socket may accept nothing while nothing arrives either.
  /// - Returns: true if all bytes were accepted.
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

  /// Puts the deferred records before the records that are written next.
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

  /// - Returns: the number of bytes that the socket accepted; 0 if it is full.
  private func sendToSocket(_ bytes: UnsafeRawBufferPointer) throws(StreamError) -> Int {
    let count: Int
    do throws(Errno) { count = unsafe try socket.send(bytes) ?? 0 } catch { throw .disconnected(error) }
    handedOverByteCount &+= UInt64(count)
    if count < bytes.count { registration.isWritable = false }
    return count
  }

  /// The number of bytes produced for the peer since the connection began, including TLS and its handshake.
  package var producedByteCount: UInt64 { handedOverByteCount &+ UInt64(writer.waitingByteCount) }

  /// True while unsent bytes wait because the socket is full.
  package var isWaitingToSend: Bool { !writer.isEmpty && !writer.isDeferred }

  /// The number of bytes that the peer has accepted since the connection began, according to the acknowledgments of its
  /// kernel. The getter makes a system call.
  package var takenByteCount: UInt64 { handedOverByteCount &- UInt64(socket.unacknowledgedByteCount) }
}
