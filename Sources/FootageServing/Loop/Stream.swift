package import FootageSystem
package import FootageTLS

/// A connection as bytes in and bytes out, plain or through TLS, on one loop. Belongs to its loop's thread: one task
/// reads and writes it; `abort` may come from others on the loop.
///
/// The handshake, receiving and sending have files of their own. Here are its state, its waiting and its end.
package final class Stream {
  package let loop: EventLoop
  package let peer: SocketAddress
  let socket: Socket
  let registration: PollRegistration
  /// Nil also for a peer that turned out to speak without.
  var tls: TLSStream?
  var handshakeGuard: HandshakeBox?
  /// What a peer sent that does not speak TLS although this server does: all that was received.
  package internal(set) var plaintext: [UInt8]?
  /// What was encrypted, and not yet taken by the socket.
  var writer: StreamWriter
  var barrenRecords = BarrenRecords()
  var recordSizing = RecordSizing()
  var unsentAllowance: UnsentAllowance
  package private(set) var isClosed = false
  /// Who is handed what comes while the task that waits to receive sleeps.
  var receiver: (any ReceivedBytesHandler)?
  /// What that task is woken for.
  var handlerOutcome: Result<(ReadOutcome, Deadline), StreamError>?
  /// Handed to the kernel since the connection began.
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

  /// The client's side of a connection that was just made.
  ///
  /// - Parameters:
  ///   - tls: the context to connect with; nil for a plain connection.
  ///   - host: a name or an address without brackets, as it was asked for.
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

  /// This machine's end; nil once the connection is over.
  package var local: SocketAddress? { socket.local }

  /// Who is at the other end, where it came to a socket with a path.
  package var localPeer: LocalPeer? { socket.localPeer }

  // MARK: Waiting

  func wait(
    toReady direction: PollRegistration.Direction, until deadline: Deadline, readHandler: (any ReadHandler)? = nil
  ) async throws(StreamError) {
    try sendDeferred()
    let outcome = await registration.wait(toReady: direction, until: deadline, readHandler: readHandler)
    try check(outcome)
  }

  // Not inlined, as is all that async functions call here: what is inlined into one becomes part of what it holds for
  // as long as the connection lives.
  @inline(never)
  private func sendDeferred() throws(StreamError) {
    if writer.isDeferred { try sendUnsent() }
  }

  @inline(never)
  private func check(_ outcome: PollRegistration.Outcome) throws(StreamError) {
    switch outcome {
    case .ready:
      // Between the news and this task somebody else may have closed it.
      guard !isClosed else { throw .aborted }
    case .deadlinePassed: throw .deadlinePassed
    case .aborted: throw .aborted
    }
  }

  /// Waits, without reading, until somebody calls `endHold`; not for longer than the peer and this connection are
  /// there.
  ///
  /// - Returns: whether `endHold` was called; false where the deadline has passed or an end has come.
  package func hold(until deadline: Deadline) async -> Bool {
    guard !isClosed else { return false }
    // A connection that fails here has an end to tell of.
    if writer.isDeferred { try? sendUnsent() }
    return await registration.hold(until: deadline) == .ready && !isClosed
  }

  /// Wakes whoever holds.
  package func endHold() { registration.endHold() }

  /// Has `action` called when the peer's end comes, or this connection's, while something else is waited for.
  package func onHangUp(_ action: (() -> Void)?) { registration.onHangUp(action) }

  // MARK: Ending

  /// Says goodbye (close_notify) and closes. What the socket does not take at once is not waited for.
  package func close() {
    guard !isClosed else { return }
    tls?.close()
    try? sendRecords()
    drop()
  }

  /// Closes without a goodbye, so that the peer cannot take what it has for the whole.
  ///
  /// - Parameter discardingUnsent: whether what the kernel has yet to send is not for this peer any more, or is too
  ///   much.
  package func abort(discardingUnsent: Bool = false) {
    guard !isClosed else { return }
    if discardingUnsent { socket.discardUnsent() }
    loop.records.removeAll()
    drop()
  }

  /// Says goodbye and then reads and drops what still comes, so that the peer gets to read the answer before a reset
  /// throws it away (RFC 9112 §9.6).
  ///
  /// - Parameters:
  ///   - deadline: when to stop waiting for the peer's end.
  ///   - byteCount: how much to drop at most.
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
