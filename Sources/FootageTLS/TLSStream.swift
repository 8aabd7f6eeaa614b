/// One TLS connection as a state machine over memory: ciphertext in, plaintext out, and the reverse. It knows no socket
/// and no task.

internal import CFootageOpenSSL
package import FootageAPI

/// A TLS connection, confined to one thread at a time. Its output gathers in the loop's `RecordBuffer`, which the
/// caller empties after every call.
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
    /// The number of plaintext bytes read, at least one.
    case bytes(Int)
    case wantRead
    /// The peer has ended the connection, with or without a close_notify.
    case closed
  }

  let output: RecordBuffer
  /// The handle, which is created and freed here and never leaves this class.
  private let ssl: OpaquePointer
  /// The context, kept alive because its callbacks use its objects for as long as the SSL lives.
  private let context: AnyObject
  /// On the client's side, the verifier of the server; otherwise nil.
  private let serverCheck: ServerVerifier?
  /// On the side of a server that asks for certificates, the verifier of the client; otherwise nil.
  private let clientCheck: ClientVerifier?
  /// The received bytes that OpenSSL has not read yet. They point into the caller's buffer, and only while a call runs.
  private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// The received bytes that OpenSSL did not read while the caller's buffer was available.
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
      throw .configuration("out of memory for a connection")
    }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    unsafe SSL_set_bio(ssl, bio, bio)
  }

  // The BIO holds this object unretained, so the SSL, and thus the BIO, is freed first.
  deinit { unsafe SSL_free(ssl) }

  /// Decrypts ciphertext that has just arrived, record after record until `buffer` is full.
  package func receive(
    _ ciphertext: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
  ) throws(TLSError) -> ReadResult {
    unsafe lend(ciphertext)
    defer { keepUntakenInput() }
    return unsafe try read(into: buffer)
  }

  /// Continues the handshake with ciphertext that has just arrived, as far as that suffices.
  package func handshake(with ciphertext: UnsafeRawBufferPointer) throws(TLSError) -> Progress {
    unsafe lend(ciphertext)
    defer { keepUntakenInput() }
    return try handshake()
  }

  private func lend(_ ciphertext: UnsafeRawBufferPointer) {
    if leftover.isEmpty { unsafe input = ciphertext } else { unsafe keep(ciphertext) }
  }

  /// Keeps a copy of the unread input, because the caller's buffer belongs to the loop and will soon serve another
  /// connection.
  private func keepUntakenInput() {
    if unsafe input.count > 0 { unsafe keep(input) }
    unsafe input = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private func keep(_ ciphertext: UnsafeRawBufferPointer) {
    // Moved out and back, here and below: a property that is modified in place is checked for exclusive access wherever
    // it is accessed, which happens for every record.
    var kept = leftover
    leftover = []
    unsafe kept.append(contentsOf: ciphertext)
    leftover = kept
  }

  /// Records that the peer's half of the TCP connection has ended.
  package func receivedEnd() { hasInputEnded = true }

  /// True if a read may return something although nothing new has arrived.
  package var hasPending: Bool { unsafe !leftover.isEmpty || input.count > 0 || SSL_has_pending(ssl) == 1 || isOver }

  /// True if valid bytes were followed by the end of the connection or by a failure, which the next call reports.
  private var isOver: Bool { unsafe isBroken || SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

  /// Copies received ciphertext into a buffer, and returns the number of bytes. Called by the BIO.
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

  /// Continues the handshake as far as the input suffices.
  ///
  /// - Throws: `TLSError.connection`; even then an alert for the peer may be in the record buffer.
  package func handshake() throws(TLSError) -> Progress {
    ErrorQueue.clear()
    // On a server that asks for certificates, sessions contain them.
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

  /// Checks the server once more before the first write, because a resumed session has run none of the callbacks that
  /// check it.
  private func confirmServer() throws(TLSError) {
    guard let serverCheck else { return }
    do throws(TLSError) { unsafe try serverCheck.confirm(ssl) } catch {
      isBroken = true
      output.removeAll()
      throw error
    }
  }

  /// Decrypts what has arrived into the buffer, record after record until it is full.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> ReadResult {
    var done = 0
    while done < buffer.count {
      // Safe because `done` is below the buffer's count.
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let result: ReadResult
      do throws(TLSError) { result = unsafe try readRecord(into: rest) } catch {
        // The bytes before the failure are valid; the next call reports the failure.
        if done > 0 { break }
        throw error
      }
      guard case .bytes(let count) = result else { return done > 0 ? .bytes(done) : result }
      done += count
      // Another read in vain would cost more than this check.
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
    // TLS 1.3 may have to write while it reads (to answer a key update). The record buffer has room, so that cannot
    // fail.
    case SSL_ERROR_WANT_WRITE: return .wantRead
    case SSL_ERROR_WANT_READ, SSL_ERROR_ZERO_RETURN: return .closed
    default: throw broken()
    }
  }

  /// Encrypts all the bytes into the record buffer, in records of 16 KiB.
  ///
  /// - Precondition: the record buffer has room for them and 1 % more.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    guard bytes.count > 0 else { return }
    guard !isBroken else { throw .connection("the connection is closed") }
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

  /// True if this is the client, which begins the handshake.
  package var speaksFirst: Bool { serverCheck != nil }

  /// True if TLS 1.3 was agreed on; meaningless before the client's first message.
  package var isTLS13: Bool { unsafe SSL_version(ssl) == TLS1_3_VERSION }

  /// True if a session ticket replaced the full handshake.
  package var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

  /// The faults of the server's certificate that were tolerated.
  package var trustWarnings: [TrustWarning] { serverCheck?.warnings ?? [] }

  /// True if a client certificate was shown and the server has not reacted yet, neither with a ticket nor with an
  /// alert.
  package var awaitsAcceptance: Bool { serverCheck?.awaitsAcceptance ?? false }

  /// On the server's side, the client whose certificate the handshake used, once the handshake is over; otherwise nil.
  package var client: VerifiedClient? { clientCheck?.client }

  /// On the server's side, the reason not to serve the client, once the handshake is over and the client can be told.
  package var clientRejection: ClientRejection? { clientCheck?.rejection }

  /// Marks the connection as broken and returns the error. After a fatal error nothing may be written, not even a
  /// close_notify (OpenSSL would fail again).
  private func broken() -> TLSError {
    isBroken = true
    if let error = serverCheck?.explanation() ?? clientCheck?.rejection.map(TLSError.client) ?? clientFault() {
      ErrorQueue.clear()
      return error
    }
    return .connection(ErrorQueue.drain())
  }

  /// Returns a plainer error than OpenSSL's for the failure in the error queue, on the server's side.
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
