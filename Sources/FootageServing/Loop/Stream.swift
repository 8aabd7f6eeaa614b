package import FootageSystem
package import FootageTLS

/// A connection that carries bytes in both directions, plain or through TLS, on one loop. Belongs to its loop's thread.
/// One task reads and writes it; other tasks on the loop may call `abort`.
///
/// The handshake, receiving and sending are in extensions in separate files.
package final class Stream {
  package let loop: EventLoop
  package let peer: SocketAddress
  let socket: Socket
  let registration: PollRegistration
  /// The TLS state; nil for a plain connection, or if the peer does not use TLS.
  var tls: TLSStream?
  var handshakeGuard: HandshakeBox?
  /// All bytes received from a peer that does not use TLS although the server requires it; nil otherwise.
  package internal(set) var plaintext: [UInt8]?
  /// The encrypted bytes that the socket has not accepted yet.
  var writer: StreamWriter
  var barrenRecords = BarrenRecords()
  var recordSizing = RecordSizing()
  var unsentAllowance: UnsentAllowance
  package private(set) var isClosed = false
  /// The receiver of bytes that arrive while the task that waits for them sleeps.
  var receiver: (any ReceivedBytesHandler)?
  /// The outcome with which the waiting task is woken.
  var handlerOutcome: Result<(ReadOutcome, Deadline), StreamError>?
  /// The number of bytes passed to the kernel since the connection began.
  package internal(set) var handedOverByteCount: UInt64 = 0

  /// - Parameter tls: the context to accept with; nil for a plain connection.
  package init(_ socket: Socket, accepting tls: TLSServerContext?, on loop: EventLoop) throws(StreamError) {
    self.socket = socket
    self.loop = loop
    peer = socket.peer
    unsentAllowance = UnsentAllowance(isServer: true)
    writer = StreamWriter(firstTurn: BufferSize.firstTurn, since: loop.clock.now)
    do throws(TLSError) { self.tls = try tls?.accept(into: loop.records) } catch { throw .tls(error) }
    if tls != nil { handshakeGuard = HandshakeBox() }
    do throws(NetworkingError) { registration = try loop.register(socket.descriptor) } catch {
      throw .disconnected(.tooManyOpenFiles)
    }
  }

  /// Creates the client's side of a connection that was just made.
  ///
  /// - Parameters:
  ///   - tls: the context to connect with; nil for a plain connection.
  ///   - host: a name or an address without brackets, as the caller gave it.
  package init(
    _ socket: Socket, connecting tls: TLSClientContext?, to host: String, port: UInt16, on loop: EventLoop
  ) throws(StreamError) {
    self.socket = socket
    self.loop = loop
    peer = socket.peer
    unsentAllowance = UnsentAllowance(isServer: false)
    writer = StreamWriter(firstTurn: BufferSize.turn, since: loop.clock.now)
    do throws(TLSError) { self.tls = try tls?.connect(to: host, port: port, into: loop.records) } catch {
      throw .tls(error)
    }
    do throws(NetworkingError) { registration = try loop.register(socket.descriptor) } catch {
      throw .unreachable(.tooManyOpenFiles)
    }
  }

  /// The local address; nil once the connection is closed.
  package var local: SocketAddress? { socket.local }

  /// The process at the other end, if it connected to a socket with a path.
  package var localPeer: LocalPeer? { socket.localPeer }

  // MARK: Waiting

  func wait(
    toReady direction: PollRegistration.Direction, until deadline: Deadline, readHandler: (any ReadHandler)? = nil
  ) async throws(StreamError) {
    try sendDeferred()
    let outcome = await registration.wait(toReady: direction, until: deadline, readHandler: readHandler)
    try check(outcome)
  }

  // Not inlined, like everything that async functions call here. The variables of an inlined function become part of
  // the async one, which keeps them as long as the connection lives.
  @inline(never)
  private func sendDeferred() throws(StreamError) {
    if writer.isDeferred { try sendUnsent() }
  }

  @inline(never)
  private func check(_ outcome: PollRegistration.Outcome) throws(StreamError) {
    switch outcome {
    case .ready:
      // Another task may have closed it between the event and this task.
      guard !isClosed else { throw .aborted }
    case .deadlinePassed: throw .deadlinePassed
    case .aborted: throw .aborted
    }
  }

  /// Waits, without reading, until `endHold` is called, the deadline has passed, or the peer or this side ends the
  /// connection.
  ///
  /// - Returns: true if `endHold` was called; false otherwise.
  package func hold(until deadline: Deadline) async -> Bool {
    guard !isClosed else { return false }
    // If this fails, the connection has an end that the hold will report.
    if writer.isDeferred { try? sendUnsent() }
    return await registration.hold(until: deadline) == .ready && !isClosed
  }

  /// Wakes the task that holds.
  package func endHold() { registration.endHold() }

  /// Calls `action` when the peer or this connection ends while the task waits for something else.
  package func onHangUp(_ action: (() -> Void)?) { registration.onHangUp(action) }

  // MARK: Ending

  /// Closes in an orderly way (close_notify). Does not wait if the socket cannot accept that message at once.
  package func close() {
    guard !isClosed else { return }
    tls?.close()
    try? sendRecords()
    drop()
  }

  /// Closes without a closing message, so that the peer does not take the data that it has received for complete.
  ///
  /// - Parameter discardingUnsent: true to discard the bytes that the kernel has not sent yet, because the peer must
  ///   not get them or they occupy too much memory.
  package func abort(discardingUnsent: Bool = false) {
    guard !isClosed else { return }
    if discardingUnsent { socket.discardUnsent() }
    loop.records.removeAll()
    drop()
  }

  /// Ends sending in an orderly way, and then reads and discards what still arrives, so that the peer can read the
  /// answer before a reset destroys it (RFC 9112 §9.6).
  ///
  /// - Parameters:
  ///   - deadline: the time at which to stop waiting for the peer to close.
  ///   - byteCount: the largest number of bytes to discard.
  package func lingeringClose(until deadline: Deadline, dropping byteCount: Int) async {
    guard !isClosed else { return }
    tls?.close()
    do throws(StreamError) {
      try sendRecords()
      try await flush(until: deadline)
      socket.endSending()
      var dropped = 0
      while dropped < byteCount {
        if registration.isReadable {
          let count: Int?
          do throws(Errno) { count = unsafe try socket.receive(into: loop.received) } catch { break }
          if count == 0 { break }
          if let count { dropped += count } else { registration.isReadable = false }
        } else {
          try await wait(toReady: .read, until: deadline)
        }
      }
    } catch {
      // The peer is slow, gone or endless: enough was done for it.
    }
    drop()
  }

  private func drop() {
    guard !isClosed else { return }
    isClosed = true
    loop.unsentByteCount -= writer.storedByteCount
    writer.removeAll()
    unsentAllowance.giveBack(to: loop)
    loop.deregister(registration, isClosing: true)
  }
}
