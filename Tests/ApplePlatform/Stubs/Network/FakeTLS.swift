internal import CFootageOpenSSL
internal import Dispatch
internal import Foundation
internal import Security
internal import Synchronization

/// A client's TLS by OpenSSL, which asks the blocks of Security's options as Apple's does: the verify block in place of
/// path validation and not where a session is resumed, the challenge block where the server wants a certificate.
///
/// Belongs to its link's thread.
final class FakeTLS {
  enum Progress {
    case done
    case wantsToRead
    case wantsToWrite
    case failed(OSStatus)
  }

  struct Failure: Error { let status: OSStatus }

  /// Sessions of the process, which Apple keeps without being asked.
  private static let sessions = Mutex<[NWEndpoint: Session]>([:])

  private final class Session: @unchecked Sendable {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { SSL_SESSION_free(handle) }
  }

  private let options: SecProtocolOptions
  private let endpoint: NWEndpoint
  private let context = SSL_CTX_new(TLS_client_method())
  private let ssl: OpaquePointer?

  init(_ options: SecProtocolOptions, _ descriptor: Int32, _ endpoint: NWEndpoint) {
    self.options = options
    self.endpoint = endpoint
    _ = copenssl_set_min_version(context, Int32(options.minimum.rawValue))
    // What is weak is for the verify block to judge.
    SSL_CTX_set_security_level(context, 0)
    ssl = SSL_new(context)
    SSL_set_fd(ssl, descriptor)
    let protocols = options.applicationProtocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    SSL_set_alpn_protos(ssl, protocols, UInt32(protocols.count))
    if case .name(let name) = endpoint.place.host { _ = copenssl_set_server_name(ssl, name) }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
    SSL_CTX_set_cert_verify_callback(
      context,
      { store, argument in
        guard let argument else { return 0 }
        return Unmanaged<FakeTLS>.fromOpaque(argument).takeUnretainedValue().verify(store) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    SSL_set_cert_cb(
      ssl,
      { _, argument in
        guard let argument else { return 0 }
        return Unmanaged<FakeTLS>.fromOpaque(argument).takeUnretainedValue().answerChallenge() ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    if options.resumes, let session = Self.sessions.withLock({ $0[endpoint] }) {
      SSL_set_session(ssl, session.handle)
    }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
    ERR_clear_error()
  }

  var metadata: SecProtocolMetadata {
    SecProtocolMetadata(chain: Self.certificates(SSL_get_peer_cert_chain(ssl)))
  }

  func handshake() -> Progress {
    ERR_clear_error()
    let result = SSL_connect(ssl)
    guard result != 1 else { return .done }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wantsToRead
    case SSL_ERROR_WANT_WRITE: return .wantsToWrite
    default: return .failed(status())
    }
  }

  /// - Returns: nil where the socket takes nothing just now.
  func write(_ bytes: Data) -> Result<Int?, Failure> {
    ERR_clear_error()
    // The same bytes again after a full socket, wherever they lie by then.
    SSL_ctrl(ssl, SSL_CTRL_MODE, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE), nil)
    let result = bytes.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
    guard result <= 0 else { return .success(Int(result)) }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .success(nil)
    default: return .failure(Failure(status: status()))
    }
  }

  /// - Returns: 0 at the end; nil where nothing has come.
  func read(into buffer: inout [UInt8]) -> Result<Int?, Failure> {
    ERR_clear_error()
    let result = SSL_read(ssl, &buffer, Int32(buffer.count))
    keepSession()
    guard result <= 0 else { return .success(Int(result)) }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .success(nil)
    case SSL_ERROR_ZERO_RETURN: return .success(0)
    default: return .failure(Failure(status: status()))
    }
  }

  /// A copy, since OpenSSL spoils the session itself where a connection ends without a goodbye.
  private func keepSession() {
    guard options.resumes, let session = SSL_get_session(ssl), SSL_SESSION_is_resumable(session) == 1,
      let copy = SSL_SESSION_dup(session)
    else { return }
    let kept = Session(copy)
    Self.sessions.withLock { $0[endpoint] = kept }
  }

  func shutDown() { SSL_shutdown(ssl) }

  // MARK: Callbacks

  private func verify(_ store: OpaquePointer?) -> Bool {
    guard let verify = options.verify, let leaf = X509_STORE_CTX_get0_cert(store) else { return false }
    X509_up_ref(leaf)
    let own = SecCertificate(owning: leaf)
    let others = Self.certificates(X509_STORE_CTX_get0_untrusted(store)).filter {
      SecCertificateCopyData($0) as Data != SecCertificateCopyData(own) as Data
    }
    let trust = SecTrust([own] + others, SecPolicyCreateSSL(true, nil))
    return Self.wait(on: verify.1) { answer in
      verify.0(SecProtocolMetadata(), SecTrustObject(trust)) { answer($0) }
    }
  }

  private func answerChallenge() -> Bool {
    guard let challenge = options.challenge else { return true }
    let identity: SecIdentityObject? = Self.wait(on: challenge.1) { answer in
      challenge.0(SecProtocolMetadata()) { answer($0) }
    }
    guard let identity else { return true }
    return identity.identity.present(on: ssl, with: identity.chain)
  }

  /// Asks a block on its queue, and waits for its answer.
  private static func wait<Answer>(on queue: DispatchQueue, _ ask: @escaping (@escaping (Answer) -> Void) -> Void)
    -> Answer
  {
    nonisolated(unsafe) var answer: Answer?
    nonisolated(unsafe) let ask = ask
    let semaphore = DispatchSemaphore(value: 0)
    queue.async {
      ask {
        answer = $0
        semaphore.signal()
      }
    }
    semaphore.wait()
    guard let answer else { preconditionFailure("a block that answers has an answer") }
    return answer
  }

  private static func certificates(_ chain: OpaquePointer?) -> [SecCertificate] {
    (0..<max(0, copenssl_certificates_count(chain))).compactMap { index in
      guard let certificate = copenssl_certificates_at(chain, index) else { return nil }
      X509_up_ref(certificate)
      return SecCertificate(owning: certificate)
    }
  }

  /// Security's number for the failure that lies in the error queue.
  private func status() -> OSStatus {
    let reason = copenssl_error_reason(ERR_peek_error())
    // An alert's reason is its number behind this one (`SSL_AD_REASON_OFFSET`).
    switch reason - 1000 {
    case 40: return errSSLPeerHandshakeFail
    case 42: return errSSLPeerBadCert
    case 43: return errSSLPeerUnsupportedCert
    case 44: return errSSLPeerCertRevoked
    case 45: return errSSLPeerCertExpired
    case 46: return errSSLPeerCertUnknown
    case 48: return errSSLPeerUnknownCA
    case 49: return errSSLPeerAccessDenied
    case 70: return errSSLPeerProtocolVersion
    case 116: return errSSLCertificateRequired
    default: break
    }
    switch reason {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
      return SSL_is_init_finished(ssl) == 1 ? errSSLClosedNoNotify : errSSLClosedAbort
    case SSL_R_CERTIFICATE_VERIFY_FAILED: return -9_808
    case 0: return errSSLClosedAbort
    case SSL_R_BAD_SIGNATURE: return errSSLCrypto
    default: return errSSLInternal
    }
  }
}
