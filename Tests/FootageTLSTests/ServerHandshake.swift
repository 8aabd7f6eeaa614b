/// A handshake between a server's stream and OpenSSL's own client, in memory, step by step.
import CFootageOpenSSL
import Foundation

@testable import FootageTLS

/// The options of a client.
struct ClientOptions {
  var version = TLS1_3_VERSION
  /// The client's name. Its certificate and key are `NAME.pem` and `NAME.key` in the authorities' folder.
  var name: String?
  /// The additional certificates that it sends.
  var chain: [String] = []
  var session: Session?
  /// The TLS 1.3 suites that it offers.
  var suites: String?

  /// A session of one client, for another one to resume.
  final class Session {
    let handle: OpaquePointer
    init(_ handle: OpaquePointer) { self.handle = handle }
    deinit { SSL_SESSION_free(handle) }
  }
}

final class ServerHandshake {
  let server: TLSStream
  private let records = RecordBuffer(capacity: 256 * 1024)
  private let context: OpaquePointer
  private let ssl: OpaquePointer
  private let toClient = BIO_new(BIO_s_mem())
  private let fromClient = BIO_new(BIO_s_mem())
  private(set) var isServerDone = false
  /// The error with which the server's side failed.
  private(set) var failure: TLSError?

  struct Broken: Error { let text: String }

  init(_ tls: TLSServerContext, _ options: ClientOptions = ClientOptions()) throws {
    server = try tls.accept(into: records)
    guard let context = SSL_CTX_new(TLS_client_method()),
      let ssl = { () -> OpaquePointer? in
        copenssl_set_min_version(context, options.version)
        copenssl_set_max_version(context, options.version)
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        if let suites = options.suites { SSL_CTX_set_ciphersuites(context, suites) }
        return SSL_new(context)
      }()
    else { throw Broken(text: "no client") }
    self.context = context
    self.ssl = ssl
    SSL_set_bio(ssl, toClient, fromClient)
    SSL_set_connect_state(ssl)
    if let name = options.name {
      guard SSL_use_certificate_file(ssl, try ClientAuthorities.path("\(name).pem"), SSL_FILETYPE_PEM) == 1,
        SSL_use_PrivateKey_file(ssl, try ClientAuthorities.path("\(name).key"), SSL_FILETYPE_PEM) == 1
      else { throw Broken(text: "no certificate of \(name)") }
      for name in options.chain {
        let certificate = try Certificate.all(inPEM: try ClientAuthorities.files("\(name).pem"), what: name)[0]
        guard copenssl_add_chain(ssl, certificate.handle) == 1 else { throw Broken(text: "no chain") }
      }
    }
    if let session = options.session { SSL_set_session(ssl, session.handle) }
  }

  deinit {
    // Without this, the session could not be resumed.
    SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  /// Lets the client process the bytes that it has, and keeps what it sends.
  func stepOfClient() {
    ERR_clear_error()
    _ = SSL_is_init_finished(ssl) == 1 ? readOfClient() : SSL_do_handshake(ssl)
  }

  private func readOfClient() -> Int32 {
    var byte: UInt8 = 0
    return SSL_read(ssl, &byte, 1)
  }

  /// Passes the client's bytes to the server, and the server's answer to the client.
  ///
  /// - Returns: true if there were any bytes.
  func stepOfServer() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = BIO_read(fromClient, &bytes, 65_536)
    guard count > 0, failure == nil else { return false }
    bytes.withUnsafeBytes { buffer in
      let sent = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
      do throws(TLSError) { if try server.handshake(with: sent) == .done { isServerDone = true } } catch {
        failure = error
      }
    }
    BIO_write(toClient, records.bytes.baseAddress, Int32(records.count))
    records.removeAll()
    return true
  }

  /// Runs both sides until neither has anything to send.
  @discardableResult
  func run() -> ServerHandshake {
    repeat { stepOfClient() } while stepOfServer()
    stepOfClient()
    return self
  }

  var isResumed: Bool { SSL_session_reused(ssl) == 1 }

  /// Returns a session to resume.
  func ticket() throws -> ClientOptions.Session {
    guard let session else { throw Broken(text: "there is no ticket: \(String(describing: failure))") }
    return session
  }

  /// The session to resume; nil if the server issued no ticket.
  var session: ClientOptions.Session? {
    guard let session = SSL_get1_session(ssl) else { return nil }
    let kept = ClientOptions.Session(session)
    return SSL_SESSION_has_ticket(session) == 1 && SSL_SESSION_is_resumable(session) == 1 ? kept : nil
  }
}

private func copenssl_add_chain(_ ssl: OpaquePointer, _ certificate: OpaquePointer) -> CInt {
  // The macro SSL_add1_chain_cert, which Swift does not import.
  CInt(SSL_ctrl(ssl, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate)))
}
