import CFootageOpenSSL
import Foundation

/// A server's blocking connection, plain or over TLS, for one thread.
final class StoreWire {
  private let socket: BlockingSocket
  private let context: OpaquePointer?
  private let ssl: OpaquePointer?
  private var inbox: [UInt8] = []
  private let received: EventLog<Int>

  /// - Parameter received: records the number of bytes each time that some arrive.
  /// - Returns: nil if the handshake fails.
  init?(_ socket: BlockingSocket, _ identity: ServerMaterial?, _ received: EventLog<Int>) {
    self.socket = socket
    self.received = received
    guard let identity else {
      (context, ssl) = (nil, nil)
      return
    }
    context = SSL_CTX_new(TLS_server_method())
    SSL_CTX_use_certificate(context, identity.certificate)
    SSL_CTX_use_PrivateKey(context, identity.key)
    for certificate in identity.chain { _ = copenssl_add_chain_certificate(context, certificate) }
    ssl = SSL_new(context)
    SSL_set_fd(ssl, socket.descriptor)
    guard SSL_accept(ssl) == 1 else {
      ERR_clear_error()
      return nil
    }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  private func receive() -> Bool {
    guard let ssl else {
      guard case .bytes(let bytes) = socket.receive() else { return false }
      inbox += bytes
      received.append(bytes.count)
      return true
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = SSL_read(ssl, &buffer, 65_536)
    guard count > 0 else {
      ERR_clear_error()
      return false
    }
    inbox += buffer[..<Int(count)]
    received.append(Int(count))
    return true
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    guard let ssl else { return socket.send(bytes) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
      guard count > 0 else {
        ERR_clear_error()
        return false
      }
      rest = rest.dropFirst(Int(count))
    }
    return true
  }

  /// Waits for the next request's head; returns nil at the end of the connection.
  func readHead() -> String? {
    let blank = Data("\r\n\r\n".utf8)
    while true {
      if let range = Data(inbox).range(of: blank) {
        defer { inbox.removeFirst(range.upperBound) }
        return String(decoding: inbox[..<range.lowerBound], as: UTF8.self)
      }
      guard receive() else { return nil }
    }
  }

  /// Reads this number of bytes of a request's body; returns nil if the connection ends before that.
  func readBody(_ count: Int, of request: FakeObjectStore.Request) -> [UInt8]? {
    if request.fields["expect"] != nil, inbox.isEmpty { _ = send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
    while inbox.count < count { guard receive() else { return nil } }
    defer { inbox.removeFirst(count) }
    return Array(inbox[..<count])
  }

  /// Waits until the peer has ended the connection.
  ///
  /// - Returns: false, once the peer has ended it.
  func waitForEnd() -> Bool {
    while receive() { inbox = [] }
    return false
  }

  /// Sends an answer.
  ///
  /// - Returns: true if the connection continues.
  func send(
    _ answer: FakeObjectStore.Answer, to request: FakeObjectStore.Request, bodyUpTo limit: Int
  ) -> Bool {
    var head = "HTTP/1.1 \(answer.status) Answer\r\n"
    for field in answer.fields { head += "\(field.name): \(field.value)\r\n" }
    let hasLength = answer.status != 204 && answer.status >= 200
    if hasLength { head += "Content-Length: \(answer.claimedLength ?? answer.body.count)\r\n" }
    let body = request.method == "HEAD" ? [] : Array(answer.body.prefix(limit))
    guard send(Array("\(head)\r\n".utf8) + body) else { return false }
    return limit == .max && (request.method == "HEAD" || (answer.claimedLength ?? body.count) == body.count)
  }
}
