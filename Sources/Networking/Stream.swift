package import System
package import TLS
package import Trust

/// A connection as bytes in and bytes out, plain or through TLS, on one loop. Belongs to its loop's thread: one task reads and
/// writes it; `abort` may come from others on the loop.
package final class Stream {
  package let loop: EventLoop
  package let peer: SocketAddress
  private let socket: Socket
  /// This machine's end; nil once the connection is over.
  package var local: SocketAddress? { socket.local }
  let registration: PollRegistration
  /// Nil also for a peer that turned out to speak without.
  private(set) var tls: TLSStream?
  private var handshakeGuard: HandshakeBox?
  /// What a peer sent that does not speak TLS although this server does: all that was received.
  package private(set) var plaintext: [UInt8]?
  /// What was encrypted, and not yet taken by the socket.
  private var writer: StreamWriter
  /// Received since there was last something in it.
  private var barrenByteCount = 0
  /// Whether the kernel may hold as much for this peer as for a fast one.
  private var isFast = false
  /// Whether it may hold as much as for one that takes what it is sent.
  private var isGranted = false
  /// Whether this is a server's end.
  private let accepts: Bool
  private var isClosed = false
  /// Who is handed what comes while the task that waits to receive sleeps.
  var receiver: (any ReceivedBytesHandler)?
  /// What that task is woken for.
  var handlerOutcome: Result<(ReadOutcome, Deadline), StreamError>?

  /// Handed to the kernel since the connection began.
  package private(set) var handedOverByteCount: UInt64 = 0
  /// When something was last sent, in the loop's time; never, for the first.
  private var lastSend = Deadline(milliseconds: 0)

  /// How much to send in one go: as much as the socket took lately, and less where the loop's streams keep much unsent.
  package var turnByteCount: Int {
    let turn = writer.turnByteCount
    return loop.unsentByteCount <= BufferSize.unsentOfAll ? turn : min(turn, BufferSize.tightTurn)
  }

  /// What may pile up for a peer that makes us answer and never reads: alerts and key updates are small.
  private static let unsentLimitWhileReading = 64 * 1024
  /// What may come that carries nothing: the beginning of the largest record, and tickets before it.
  private static let barrenLimit = 48 * 1024
  /// A record can be read when all of it has come, and the first round trip brings ten segments of it (RFC 6928): with a
  /// ticket before them 16 KiB take two. The first records are small for as much as the first round trip brings.
  private static let firstRecords = 4 * 1024
  private static let firstRecordsOfAll = 12 * 1024
  /// After so long without sending, the kernel begins as if the connection were new (RFC 5681 §4.1).
  private static let pauseMilliseconds: UInt64 = 200
  /// What may wait for company: the record buffer has so much room beside a full turn.
  private static let heldLimit = 16 * 1024

  /// - Parameter tls: the context to accept with; nil for a plain connection.
  package init(_ socket: Socket, accepting tls: TLSServerContext?, on loop: EventLoop) throws(StreamError) {
    self.socket = socket
    self.loop = loop
    peer = socket.peer
    accepts = true
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
    accepts = false
    writer = StreamWriter(firstTurn: BufferSize.turn, since: loop.clock.now)
    do throws(TLSError) { self.tls = try tls?.connect(to: host, port: port, into: loop.records) } catch {
      throw .tls(error)
    }
    do throws(NetworkingError) { registration = try loop.register(socket.descriptor) } catch {
      throw .unreachable(.tooManyOpenFiles)
    }
  }

  /// Finishes the TLS handshake. Whoever accepted may send the last of it, a ticket, together with the first answer.
  package func handshake(until deadline: Deadline) async throws(StreamError) {
    while true {
      let isDone = try handshakeNow()
      if isDone { handshakeGuard = nil }
      if isWaitingToSend { try await flush(until: deadline) }
      guard !isDone else { return }
      try await wait(toReady: .read, until: deadline)
    }
  }

  /// Goes on with the handshake as far as it goes without waiting.
  ///
  /// - Returns: whether it is over.
  @inline(never)
  private func handshakeNow() throws(StreamError) -> Bool {
    guard let tls else { return true }
    // Who accepts has nothing to say before the client has spoken.
    if tls.speaksFirst, try step({ () throws(TLSError) in try tls.handshake() }) == .done { return true }
    while writer.isEmpty, let ciphertext = unsafe try receiveFromSocket() {
      guard unsafe try isTLS(ciphertext, tls) else { return true }
      let progress = try attempt { () throws(TLSError) in unsafe try tls.handshake(with: ciphertext) }
      if progress == .done, !tls.speaksFirst { try deferFlight() } else { try sendRecords() }
      if progress == .done { return true }
    }
    return false
  }

  // MARK: The server's side

  /// Once the handshake is over: whose certificate it was made with.
  package var client: VerifiedClient? { tls?.client }

  /// Once the handshake is over: why the client must not be served, which it can be told now.
  package var clientRejection: ClientRejection? { tls?.clientRejection }

  /// The guard's state, which a connection needs for a moment only.
  private final class HandshakeBox {
    var look = HandshakeGuard()
  }

  /// - Returns: false where the peer speaks without TLS; from now on this connection does as well.
  private func isTLS(_ received: UnsafeRawBufferPointer, _ tls: TLSStream) throws(StreamError) -> Bool {
    guard let handshakeGuard else { return true }
    switch unsafe handshakeGuard.look.look(at: received, isTLS13: tls.isTLS13) {
    case .fine: return true
    case .tooLong: throw .handshakeTooLong
    case .plaintext:
      plaintext = unsafe Array(received)
      self.tls = nil
      return false
    }
  }

  // MARK: The client's side

  /// What is not right with the server's certificate and was let pass.
  package var trustWarnings: [TrustWarning] { tls?.trustWarnings ?? [] }

  /// Whether a session ticket spared the full handshake.
  package var isResumed: Bool { tls?.isResumed ?? false }

  /// After a client certificate was shown: waits for the server's word on it, so that a refusal is read before a request
  /// that crosses it has the connection reset. A server that sends no tickets says nothing; then the deadline goes on.
  package func waitForAcceptance(until deadline: Deadline) async throws(StreamError) {
    guard let tls else { return }
    while tls.awaitsAcceptance {
      guard let ciphertext = unsafe try receiveFromSocket() else {
        do throws(StreamError) { try await wait(toReady: .read, until: deadline) } catch .deadlinePassed { return }
        continue
      }
      switch unsafe try decrypt(ciphertext, tls) {
      case .wantRead: continue
      // Nobody was asked anything yet.
      case .bytes, .closed: throw .disconnected(nil)
      }
    }
  }

  /// Takes in what came although nobody waited for it. A server's session tickets come when they like (RFC 8446 §4.6.1),
  /// key updates too (§4.6.3): they belong to TLS. Everything else, the peer's end above all, is news.
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

  /// Has `action` called when the peer's end comes, or this connection's, while something else is waited for.
  package func onHangUp(_ action: (() -> Void)?) { registration.onHangUp(action) }

  // MARK: Holding

  /// Waits, without reading, until somebody calls `endHold`; not for longer than the peer and this connection are there.
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

  // MARK: Reading

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

  /// What has come.
  package enum Received { case lent, closed, wouldBlock }

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

  /// Takes what has come into the scratch buffer.
  ///
  /// A record may be there in part only, or carry a ticket or a key update. But key updates cost their sender little and
  /// their reader a lot, there is no limit to them in the protocol, and while they come without a pause this does not end.
  private func decrypt(
    _ ciphertext: UnsafeRawBufferPointer, _ tls: TLSStream
  ) throws(StreamError) -> TLSStream.ReadResult {
    let result = try step { () throws(TLSError) in unsafe try tls.receive(ciphertext, into: loop.scratch) }
    guard case .wantRead = result else {
      barrenByteCount = 0
      return result
    }
    barrenByteCount += ciphertext.count
    guard barrenByteCount <= Self.barrenLimit else { throw .emptyRecordFlood }
    return result
  }

  /// What the socket has, in the loop's buffer until the next call on this loop; empty at the end, nil where nothing has
  /// come.
  private func receiveFromSocket() throws(StreamError) -> UnsafeRawBufferPointer? {
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
  private func step<Result>(_ body: () throws(TLSError) -> Result) throws(StreamError) -> Result {
    let result = try attempt(body)
    try sendRecords()
    guard writer.waitingByteCount <= Self.unsentLimitWhileReading else { throw .peerDoesNotRead }
    return result
  }

  /// Runs a piece of TLS, and where that fails sends what it left in the record buffer: an alert.
  private func attempt<Result>(_ body: () throws(TLSError) -> Result) throws(StreamError) -> Result {
    do throws(TLSError) { return try body() } catch {
      // Whether the alert gets through changes nothing any more.
      try? sendRecords()
      throw .tls(error)
    }
  }

  // MARK: Writing

  /// Encrypts and sends the bytes at once, as far as the socket takes them; the rest is kept for `flush`.
  ///
  /// - Precondition: nothing is left from before, and there are `BufferSize.scratch` bytes at most.
  /// - Returns: whether all of it went out.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(StreamError) -> Bool {
    guard !isClosed else { throw .aborted }
    if let tls {
      takeUpHeldRecords()
      do throws(TLSError) { unsafe try encrypt(bytes, tls) } catch {
        // The buffer is the next connection's in a moment.
        loop.records.removeAll()
        throw .tls(error)
      }
      try sendRecords()
    } else {
      unsafe try sendNow(bytes)
    }
    if !writer.isEmpty { grant() }
    if let isFast = writer.endTurn(of: bytes.count, at: { loop.clock.now }) { setFast(isFast) }
    return writer.isEmpty
  }

  /// Into records of 16 KiB, the first after a pause smaller.
  private func encrypt(_ bytes: UnsafeRawBufferPointer, _ tls: TLSStream) throws(TLSError) {
    var position = 0
    if accepts, lastSend.milliseconds &+ Self.pauseMilliseconds <= loop.now.milliseconds {
      while position < Self.firstRecordsOfAll, bytes.count - position > Self.firstRecords {
        unsafe try tls.write(UnsafeRawBufferPointer(rebasing: bytes[position..<(position + Self.firstRecords)]))
        position += Self.firstRecords
      }
    }
    lastSend = loop.now
    unsafe try tls.write(UnsafeRawBufferPointer(rebasing: bytes[position...]))
  }

  /// The first ones whose sockets are full may have more there, which wakes this loop less often.
  private func grant() {
    guard accepts, !isGranted, loop.grantedStreamCount < BufferSize.grantedStreams else { return }
    isGranted = true
    loop.grantedStreamCount += 1
    socket.setUnsentLimit(socket.unsentLimit)
  }

  /// What the kernel may hold for this peer when it is not a fast one.
  private var usualUnsentLimit: Int {
    !accepts || isGranted ? socket.unsentLimit : min(socket.unsentLimit, BufferSize.unsentAtFirst)
  }

  /// A fast peer wakes this loop less often, and finds more at a time, with more in the kernel; a slow one would only keep
  /// it there. Only a few at once are given more, so that many who are fast and then stop cost no more than before.
  private func setFast(_ wantsMore: Bool) {
    guard wantsMore != isFast, !wantsMore || loop.fastStreamCount < BufferSize.fastStreams else { return }
    isFast = wantsMore
    loop.fastStreamCount += wantsMore ? 1 : -1
    socket.setUnsentLimit(wantsMore ? max(BufferSize.unsentForFast, socket.unsentLimit) : usualUnsentLimit)
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

  /// Waits until the socket has taken all that was left, or until something has come, which is to be received before it is
  /// waited for again.
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

  /// Has the socket asked for bytes again, though nothing has told of any: after a failure.
  package func expectBytes() { registration.isReadable = true }

  private func flush(until deadline: Deadline) async throws(StreamError) {
    while !writer.isEmpty {
      try await wait(toReady: .write, until: deadline)
      try sendUnsent()
    }
  }

  /// Lets the handshake's last records wait for the first answer: most clients have asked for it already, and two in one
  /// segment cost half of what they cost alone.
  private func deferFlight() throws(StreamError) {
    guard (1...Self.heldLimit).contains(loop.records.count) else { return try sendRecords() }
    unsafe writer.deferSending(loop.records.bytes)
    loop.unsentByteCount += writer.storedByteCount
    loop.records.removeAll()
    // The request may have come since the socket was looked at, and its edge not yet been heard of.
    registration.isReadable = true
  }

  /// Puts them where they belong: before what is written next.
  private func takeUpHeldRecords() {
    guard writer.isDeferred else { return }
    loop.unsentByteCount -= writer.storedByteCount
    unsafe writer.takeDeferred().withUnsafeBytes { _ = unsafe loop.records.append($0) }
  }

  private func sendRecords() throws(StreamError) {
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
  private func sendUnsent() throws(StreamError) {
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

  /// Whether bytes wait for the peer to take some.
  package var isWaitingToSend: Bool { !writer.isEmpty && !writer.isDeferred }

  /// How many bytes the peer has taken since the connection began, as far as its kernel has said. Asks this one's.
  package var takenByteCount: UInt64 { handedOverByteCount &- UInt64(socket.unacknowledgedByteCount) }

  func wait(
    toReady direction: PollRegistration.Direction, until deadline: Deadline, readHandler: (any ReadHandler)? = nil
  ) async throws(StreamError) {
    try sendDeferred()
    let outcome = await registration.wait(toReady: direction, until: deadline, readHandler: readHandler)
    try check(outcome)
  }

  // Not inlined, as is all that async functions call here: what is inlined into one becomes part of what it holds for as
  // long as the connection lives.
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
  /// - Parameter discardingUnsent: whether what the kernel has yet to send is not for this peer any more, or is too much.
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
    if isFast { loop.fastStreamCount -= 1 }
    if isGranted { loop.grantedStreamCount -= 1 }
    loop.deregister(registration, isClosing: true)
  }
}
