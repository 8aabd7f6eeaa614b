import CFootageOpenSSL
import Foundation

/// A TLS server made with OpenSSL directly. It does what a robot, or an impostor of one, might do, and records what
/// arrives.
package final class RawServer: @unchecked Sendable {
  /// The record of one connection.
  package struct Visit: Sendable {
    /// True if the handshake was finished.
    package var isAccepted = false
    package var isResumed = false
    package var version = ""
    /// The application data that arrived.
    package var received: [UInt8] = []
    /// The number of the alert that came (RFC 8446 §6), if any.
    package var alert: Int32?
    /// The subjects of the certificates that the client sent, its own first.
    package var clientCertificates: [String] = []
    package var serverName: String?
    package var offeredProtocols: [UInt8] = []
  }

  package struct Demands: Sendable {
    package var version: Int32
    package var asksForCertificate: Bool
    /// The error with which the server refuses every client certificate; nil to refuse none.
    package var refusal: Int32?
    package var ticketKeys: [UInt8]
    /// The bytes that are sent after the request has arrived.
    package var answer: [UInt8]

    package init(
      version: Int32 = TLS1_3_VERSION, asksForCertificate: Bool = false, refusal: Int32? = nil,
      ticketKeys: [UInt8] = [UInt8](repeating: 7, count: 80), answer: String = "hello"
    ) {
      self.version = version
      self.asksForCertificate = asksForCertificate
      self.refusal = refusal
      self.ticketKeys = ticketKeys
      self.answer = Array(answer.utf8)
    }
  }

  /// The TLS context that all connections share.
  private final class Context: @unchecked Sendable {
    let handle = SSL_CTX_new(TLS_server_method())
    deinit { SSL_CTX_free(handle) }
  }

  private let server: ScriptedServer
  private let visits = EventLog<(number: Int, visit: Visit)>()

  package var port: UInt16 { server.port }

  package init(_ material: ServerMaterial, _ demands: Demands = Demands()) throws {
    let context = Context()
    _ = copenssl_set_min_version(context.handle, demands.version)
    _ = copenssl_set_max_version(context.handle, demands.version)
    // An impostor's certificate and key may be of any strength.
    SSL_CTX_set_security_level(context.handle, 0)
    guard SSL_CTX_use_certificate(context.handle, material.certificate) == 1,
      SSL_CTX_use_PrivateKey(context.handle, material.key) == 1
    else { throw CocoaError(.featureUnsupported) }
    for other in material.chain { _ = copenssl_add_chain_certificate(context.handle, other) }
    SSL_CTX_set_session_id_context(context.handle, [1], 1)
    var keys = demands.ticketKeys
    SSL_CTX_ctrl(context.handle, SSL_CTRL_SET_TLSEXT_TICKET_KEYS, 80, &keys)
    server = try ScriptedServer { [visits] connection, number in
      visits.append((number, Self.serve(connection, context.handle, demands)))
    }
  }

  /// Stops the server and returns what arrived.
  package func stop() -> [Visit] {
    server.stopAndWait()
    return visits.all.sorted { $0.number < $1.number }.map(\.visit)
  }

  deinit { server.stop() }

  /// The record that the callbacks of one connection write to.
  private final class Notes {
    var visit = Visit()
  }

  private static func serve(
    _ connection: ScriptedServer.Connection, _ context: OpaquePointer?, _ demands: Demands
  ) -> Visit {
    let ssl = SSL_new(context)
    defer {
      SSL_free(ssl)
      ERR_clear_error()
    }
    let notes = Notes()
    SSL_set_fd(ssl, connection.socket.descriptor)
    // Called with every message as it arrives, even if the handshake fails. 21 is an alert, 22 a handshake message.
    SSL_set_msg_callback(ssl) { isWritten, _, kind, bytes, count, _, argument in
      guard isWritten == 0, let argument, let bytes else { return }
      let notes = Unmanaged<Notes>.fromOpaque(argument).takeUnretainedValue()
      let message = UnsafeRawBufferPointer(start: bytes, count: count)
      if kind == 21, count == 2 { notes.visit.alert = Int32(message[1]) }
      if kind == 22, message.first == 1 { notes.visit.offeredProtocols = Array(message) }
      if kind == 22, message.first == 11, count > 12 { notes.visit.clientCertificates.append("in \(count) bytes") }
    }
    SSL_ctrl(ssl, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, Unmanaged.passUnretained(notes).toOpaque())
    if demands.asksForCertificate {
      SSL_set_verify(
        ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, demands.refusal == nil ? { _, _ in 1 } : nil)
    }
    ERR_clear_error()
    guard SSL_accept(ssl) == 1 else {
      // Bytes after a failed handshake are read all the same: there must be none.
      while connection.receive() != nil {}
      return notes.visit
    }
    notes.visit.isAccepted = true
    notes.visit.isResumed = SSL_session_reused(ssl) == 1
    notes.visit.version = String(cString: SSL_get_version(ssl))
    notes.visit.serverName = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    let chain = SSL_get_peer_cert_chain(ssl)
    if let own = SSL_get0_peer_certificate(ssl) { notes.visit.clientCertificates = [subject(own)] }
    for index in 0..<copenssl_certificates_count(chain) {
      notes.visit.clientCertificates.append(subject(copenssl_certificates_at(chain, index)))
    }
    exchange(ssl, notes, demands.answer)
    SSL_shutdown(ssl)
    return notes.visit
  }

  private static func exchange(_ ssl: OpaquePointer?, _ notes: Notes, _ answer: [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = SSL_read(ssl, &buffer, 4096)
    guard count > 0 else { return }
    notes.visit.received += buffer[..<Int(count)]
    SSL_write(ssl, answer, Int32(answer.count))
  }

  private static func subject(_ certificate: OpaquePointer?) -> String {
    var text = [CChar](repeating: 0, count: 256)
    X509_NAME_oneline(X509_get_subject_name(certificate), &text, 256)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
