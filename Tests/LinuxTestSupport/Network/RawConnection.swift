import CFootageOpenSSL
import Foundation

/// A blocking client connection that does exactly what a test demands, byte by byte if necessary, plain or over TLS.
package final class RawConnection {
  /// There is no connection, or it ended before the expected bytes arrived.
  package struct Closed: Error {
    /// The call that failed, if one did.
    package var cause: BlockingSocket.Failed?

    package init(_ cause: BlockingSocket.Failed? = nil) { self.cause = cause }
  }

  /// The way in which a connection ended.
  package enum End: Equatable {
    /// The connection ended with a close_notify, or without TLS with a FIN.
    case proper
    case cutOff
    /// The connection has not ended, and nothing arrived before the limit.
    case silent
  }

  /// An answer, with its body according to `Content-Length`.
  package struct Response {
    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    /// Returns the value of the first field with this name.
    package subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    package var text: String { String(decoding: body, as: UTF8.self) }
  }

  package let socket: BlockingSocket
  private let context: OpaquePointer?
  private let ssl: OpaquePointer?
  private var inbox: [UInt8] = []
  /// The way in which the connection ended; nil until then.
  package private(set) var end: End?

  /// - Parameters:
  ///   - identity: the certificate that the client shows if the server asks for one.
  ///   - earlier: the session to resume, whose connection must have ended.
  ///   - receiveBuffer: the bytes that the kernel may hold for a reader that has stopped reading; nil for the system's
  ///     default.
  ///   - patience: the number of seconds to wait for bytes.
  /// - Throws: `Closed` if there is no connection, or no handshake.
  package init(
    to port: some BinaryInteger, _ transport: Transport = .plain, showing identity: ServerMaterial? = nil,
    resuming earlier: Session? = nil, receiveBuffer: Int? = nil, patience: Int = BlockingSocket.patience
  ) throws {
    do {
      socket = try BlockingSocket(to: port, receiveBuffer: receiveBuffer, patience: patience)
    } catch { throw Closed(error as? BlockingSocket.Failed) }
    guard transport != .plain else {
      (context, ssl) = (nil, nil)
      return
    }
    let version = transport == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION
    context = SSL_CTX_new(TLS_client_method())
    _ = copenssl_set_min_version(context, version)
    _ = copenssl_set_max_version(context, version)
    if let identity {
      guard SSL_CTX_use_certificate(context, identity.certificate) == 1,
        SSL_CTX_use_PrivateKey(context, identity.key) == 1
      else { throw Closed() }
      for other in identity.chain { _ = copenssl_add_chain_certificate(context, other) }
    }
    ssl = SSL_new(context)
    copenssl_set_server_name(ssl, "localhost")
    SSL_set_fd(ssl, socket.descriptor)
    if let earlier { SSL_set_session(ssl, earlier.handle) }
    guard SSL_connect(ssl) == 1 else {
      ERR_clear_error()
      throw Closed()
    }
  }

  /// Uses a socket that is already connected, without TLS.
  package init(over socket: BlockingSocket) {
    self.socket = socket
    (context, ssl) = (nil, nil)
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  // MARK: Sessions

  /// The session that a later connection resumes (RFC 8446 §2.2).
  package final class Session {
    fileprivate let handle: OpaquePointer
    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }
    deinit { SSL_SESSION_free(handle) }
  }

  /// The session to resume. With TLS 1.3 there is one after something was read.
  package var session: Session? { SSL_get1_session(ssl).map(Session.init) }

  package var isResumed: Bool { SSL_session_reused(ssl) == 1 }

  // MARK: Sending

  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) throws {
    guard let ssl else {
      guard socket.send(bytes) else { throw Closed() }
      return
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
      guard count > 0 else { throw Closed() }
      rest = rest.dropFirst(Int(count))
    }
  }

  /// Sends a request without a body.
  package func ask(_ path: String, _ fields: [String] = [], method: String = "GET") throws {
    try send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n")
  }

  /// Sends TLS's close_notify, and leaves the socket open.
  package func sayGoodbye() { SSL_shutdown(ssl) }

  /// Updates the keys of this side (RFC 8446 §4.6.3), for which TLS sends a record without application data.
  ///
  /// - Returns: true if the connection accepted the update.
  package func updateKeys() -> Bool {
    SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1
  }

  // MARK: Receiving

  /// Receives bytes into the inbox.
  ///
  /// - Returns: false at the end of the connection.
  private func receive() -> Bool {
    guard let ssl else {
      switch socket.receive() {
      case .bytes(let bytes):
        inbox += bytes
        return true
      case .end: end = .proper
      case .failed(let number): end = number == EAGAIN ? .silent : .cutOff
      }
      return false
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = SSL_read(ssl, &buffer, 65_536)
    if count > 0 {
      inbox += buffer[..<Int(count)]
      return true
    }
    switch SSL_get_error(ssl, count) {
    case SSL_ERROR_ZERO_RETURN: end = .proper
    case SSL_ERROR_WANT_READ: end = .silent
    default: end = .cutOff
    }
    ERR_clear_error()
    return false
  }

  /// Reads bytes from the socket, encrypted or not, and discards them.
  package func drop(atLeast count: Int) {
    var rest = count
    while rest > 0, case .bytes(let bytes) = socket.receive(upTo: 16_384) { rest -= bytes.count }
  }

  /// Waits until the server has sent unread bytes, without consuming them.
  package func waitForBytes() throws { guard socket.waitForBytes() else { throw Closed() } }

  /// Returns all bytes until the connection ends.
  package func receiveToEnd() -> [UInt8] {
    while receive() {}
    defer { inbox = [] }
    return inbox
  }

  /// Waits until the server has closed the connection without sending anything.
  package func receivesEnd() -> Bool { receiveToEnd().isEmpty && end != .silent }

  /// Waits for the next answer and returns it.
  package func response(to method: String = "GET") throws -> Response {
    let lines = String(decoding: try receiveHead(), as: UTF8.self).components(separatedBy: "\r\n")
    let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let fields = lines.dropFirst().filter { !$0.isEmpty }.map { line in
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      return (parts[0], (parts.last ?? "").trimmingCharacters(in: .whitespaces))
    }
    var response = Response(status: status, fields: fields, body: [])
    let hasBody = method != "HEAD" && status != 304 && status != 204
    let length = hasBody ? response["Content-Length"].flatMap { Int($0) } ?? 0 : 0
    while inbox.count < length { guard receive() else { throw Closed() } }
    response.body = Array(inbox[..<length])
    inbox.removeFirst(length)
    return response
  }

  /// Consumes and returns all bytes up to and including the first empty line.
  private func receiveHead() throws -> [UInt8] {
    let blank = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if inbox.count >= 4 {
        for index in searched...(inbox.count - 4) where inbox[index..<(index + 4)].elementsEqual(blank) {
          defer { inbox.removeFirst(index + 4) }
          return Array(inbox[..<(index + 4)])
        }
        searched = inbox.count - 3
      }
      guard receive() else { throw Closed() }
    }
  }

  /// Sends a request and waits for the answer.
  package func get(_ path: String, _ fields: String..., method: String = "GET") throws -> Response {
    try ask(path, fields, method: method)
    return try response(to: method)
  }
}
