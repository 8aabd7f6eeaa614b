/// One TLS connection as a machine over memory: ciphertext in, plaintext out, and back. It knows no socket and no task.

internal import CFootageOpenSSL
package import FootageAPI

/// Confined to one thread at a time. What it writes gathers in the loop's `RecordBuffer`, which the caller empties
/// after every call.
@safe
package final class TLSStream {
  package enum Progress: Equatable {
    case done
    /// More ciphertext is needed from the peer.
    case wantRead
    /// The record buffer is full.
    case wantWrite
  }

  package enum ReadResult: Equatable {
    /// So many bytes of plaintext, at least one.
    case bytes(Int)
    case wantRead
    /// The peer has said or shown that nothing more comes.
    case closed
  }

  let output: RecordBuffer
  /// The handle is made and freed here and never leaves this class.
  private let ssl: OpaquePointer
  /// The context's callbacks look into its objects for as long as the SSL lives.
  private let context: AnyObject
  /// On the client's side, what is known of the server.
  private let serverCheck: ServerVerifier?
  /// On the side of a server that asks for certificates, what is known of the client.
  private let clientCheck: ClientVerifier?
  /// Received and not yet taken by OpenSSL; points into the caller's buffer, only while a call runs.
  private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// What OpenSSL did not take while its caller's buffer was there.
  private var leftover: [UInt8] = []
  private(set) var hasInputEnded = false
  private var isBroken = false

  init(
    ssl: OpaquePointer, output: RecordBuffer, context: AnyObject, serverCheck: ServerVerifier? = nil,
    clientCheck: ClientVerifier? = nil
  ) throws(TLSError) {
    unsafe self.ssl = ssl
    self.clientCheck = clientCheck
    self.context = context
    self.serverCheck = serverCheck
    self.output = output
    guard let method = unsafe MemoryBIO.method, let bio = unsafe BIO_new(method) else {
      throw .configuration("no memory for a connection")
    }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    unsafe SSL_set_bio(ssl, bio, bio)
  }

  // The BIO holds this object unretained: the SSL, and with it the BIO, goes first.
  deinit { unsafe SSL_free(ssl) }

  /// Takes ciphertext that has just come and decrypts what it carries, record after record until `buffer` is full.
  package func receive(
    _ ciphertext: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
  ) throws(TLSError) -> ReadResult {
    unsafe lend(ciphertext)
    defer { keepUntakenInput() }
    return unsafe try read(into: buffer)
  }

  /// Takes ciphertext that has just come and goes on with the handshake as far as it carries.
  package func handshake(with ciphertext: UnsafeRawBufferPointer) throws(TLSError) -> Progress {
    unsafe lend(ciphertext)
    defer { keepUntakenInput() }
    return try handshake()
  }

  private func lend(_ ciphertext: UnsafeRawBufferPointer) {
    if leftover.isEmpty { unsafe input = ciphertext } else { unsafe keep(ciphertext) }
  }

  /// The caller's buffer is the loop's, and another connection's in a moment.
  private func keepUntakenInput() {
    if unsafe input.count > 0 { unsafe keep(input) }
    unsafe input = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private func keep(_ ciphertext: UnsafeRawBufferPointer) {
    // Moved out and back, here and below: a property that is worked on in place is checked for exclusive access
    // wherever it is looked at, and this one is looked at for every record.
    var kept = leftover
    leftover = []
    unsafe kept.append(contentsOf: ciphertext)
    leftover = kept
  }

  /// The peer's half of the TCP connection has ended.
  package func receivedEnd() { hasInputEnded = true }

  /// Whether reading may give something although nothing new has come.
  package var hasPending: Bool { unsafe !leftover.isEmpty || input.count > 0 || SSL_has_pending(ssl) == 1 || isOver }

  /// Whether the end, or what broke the connection, came behind bytes that were good: it shows at the next call.
  private var isOver: Bool { unsafe isBroken || SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

  /// Called by the BIO.
  func takeInput(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if !leftover.isEmpty {
      var kept = leftover
      leftover = []
      let count = min(buffer.count, kept.count)
      // Safe because `count` is at most either's size.
      unsafe kept.withUnsafeBytes { unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      kept.removeFirst(count)
      leftover = kept
      return count
    }
    let count = unsafe min(buffer.count, input.count)
    guard count > 0 else { return 0 }
    // Safe because `count` is at most either's size.
    unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    unsafe input = UnsafeRawBufferPointer(rebasing: input[count...])
    return count
  }

  /// Goes on with the handshake as far as the input carries it.
  ///
  /// - Throws: `TLSError.connection`; an alert for the peer may wait in the record buffer all the same.
  package func handshake() throws(TLSError) -> Progress {
    ErrorQueue.clear()
    // Certificates lie in the sessions of a server that asks for them.
    let result =
      clientCheck != nil ? SessionDecoding.withoutKeys { unsafe SSL_do_handshake(ssl) } : unsafe SSL_do_handshake(ssl)
    if result == 1 {
      try confirmServer()
      unsafe clientCheck?.confirm(ssl)
      return .done
    }
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ where !hasInputEnded: return .wantRead
    case SSL_ERROR_WANT_WRITE: return .wantWrite
    case SSL_ERROR_WANT_READ, SSL_ERROR_ZERO_RETURN:
      isBroken = true
      throw .disconnected
    default: throw broken()
    }
  }

  /// The last gate before the first write: a resumed session has run none of the callbacks that check a server.
  private func confirmServer() throws(TLSError) {
    guard let serverCheck else { return }
    do throws(TLSError) { unsafe try serverCheck.confirm(ssl) } catch {
      isBroken = true
      output.removeAll()
      throw error
    }
  }

  /// Decrypts into the buffer what has come, record after record until it is full.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> ReadResult {
    var done = 0
    while done < buffer.count {
      // Safe because `done` is below the buffer's count.
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let result: ReadResult
      do throws(TLSError) { result = unsafe try readRecord(into: rest) } catch {
        // What came before the failure is good; the failure shows at the next call.
        if done > 0 { break }
        throw error
      }
      guard case .bytes(let count) = result else { return done > 0 ? .bytes(done) : result }
      done += count
      // Asking once more in vain costs more than this look.
      guard hasPending else { break }
    }
    return .bytes(done)
  }

  private func readRecord(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> ReadResult {
    guard !isBroken else { return .closed }
    ErrorQueue.clear()
    let count = unsafe SSL_read(ssl, buffer.baseAddress, CInt(clamping: buffer.count))
    if count > 0 { return .bytes(Int(count)) }
    switch unsafe SSL_get_error(ssl, count) {
    case SSL_ERROR_WANT_READ where !hasInputEnded: return .wantRead
    // TLS 1.3 may want to write (a key update's answer) while it reads; the record buffer has room, so it cannot fail.
    case SSL_ERROR_WANT_WRITE: return .wantRead
    case SSL_ERROR_WANT_READ, SSL_ERROR_ZERO_RETURN: return .closed
    default: throw broken()
    }
  }

  /// Encrypts all of the bytes into the record buffer, in records of 16 KiB.
  ///
  /// - Precondition: the record buffer has room for them and for 1 % more.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    guard bytes.count > 0 else { return }
    guard !isBroken else { throw .connection("it is closed") }
    ErrorQueue.clear()
    let count = unsafe SSL_write(ssl, bytes.baseAddress, CInt(clamping: bytes.count))
    guard Int(count) == bytes.count else { throw broken() }
  }

  /// Puts a close_notify alert into the record buffer.
  package func close() {
    guard !isBroken else { return }
    ErrorQueue.clear()
    _ = unsafe SSL_shutdown(ssl)
    ErrorQueue.clear()
  }

  /// Whether this is the client, who begins the handshake.
  package var speaksFirst: Bool { serverCheck != nil }

  /// Whether TLS 1.3 was agreed upon; without a meaning before the client has spoken.
  package var isTLS13: Bool { unsafe SSL_version(ssl) == TLS1_3_VERSION }

  /// Whether a session ticket spared the full handshake.
  package var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

  /// What is not right with the server's certificate and was let pass.
  package var trustWarnings: [TrustWarning] { serverCheck?.warnings ?? [] }

  /// Whether a client certificate was shown and the server has not said a word since, neither a ticket nor an alert.
  package var awaitsAcceptance: Bool { serverCheck?.awaitsAcceptance ?? false }

  /// On the server's side, once the handshake is over: whose certificate it was made with.
  package var client: VerifiedClient? { clientCheck?.client }

  /// On the server's side, once the handshake is over: why the client must not be served, which it can be told now.
  package var clientRejection: ClientRejection? { clientCheck?.rejection }

  /// After a fatal error nothing may be written, not even a close_notify (OpenSSL would fail again).
  private func broken() -> TLSError {
    isBroken = true
    if let error = serverCheck?.explanation() ?? clientCheck?.rejection.map(TLSError.client) ?? clientFault() {
      ErrorQueue.clear()
      return error
    }
    return .connection(ErrorQueue.drain())
  }

  /// What a server can say of the failure in the error queue in plainer words than OpenSSL's.
  private func clientFault() -> TLSError? {
    guard serverCheck == nil else { return nil }
    switch copenssl_error_reason(ERR_peek_error()) {
    case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: return .plainHTTP
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW:
      switch unsafe SSL_client_version(ssl) {
      case TLS1_1_VERSION: return .oldProtocol("TLS 1.1")
      case TLS1_VERSION: return .oldProtocol("TLS 1.0")
      case SSL3_VERSION: return .oldProtocol("SSL 3.0")
      default: return nil
      }
    default: return nil
    }
  }
}
