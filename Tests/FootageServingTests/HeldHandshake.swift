import CFootageOpenSSL
import LinuxTestSupport

/// A client that stops before the last flight of its handshake, which contains its certificate, and continues when a
/// test tells it to. It uses TLS 1.3.
final class HeldHandshake {
  struct Failed: Error { let text: String }

  private let socket: BlockingSocket
  private let context = SSL_CTX_new(TLS_client_method())
  private lazy var ssl: OpaquePointer? = SSL_new(context)
  private let received = BIO_new(BIO_s_mem())
  private let toSend = BIO_new(BIO_s_mem())

  /// Returns once the server waits for the last flight.
  init(port: UInt16, showing identity: TestIdentity) throws {
    socket = try BlockingSocket(to: port)
    _ = copenssl_set_min_version(context, TLS1_3_VERSION)
    SSL_set_bio(ssl, received, toSend)
    SSL_set_connect_state(ssl)
    let certificate = Self.read(identity.certificate) { PEM_read_bio_X509($0, nil, nil, nil) }
    let key = Self.read(identity.key) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    defer {
      X509_free(certificate)
      EVP_PKEY_free(key)
    }
    guard SSL_use_certificate(ssl, certificate) == 1, SSL_use_PrivateKey(ssl, key) == 1 else {
      throw Failed(text: "no client")
    }
    while SSL_do_handshake(ssl) != 1 {
      send()
      guard receive() else { throw Failed(text: "the server ended the handshake") }
    }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  private static func read(_ pem: [UInt8], _ body: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    BIO_write(bio, pem, Int32(pem.count))
    return body(bio)
  }

  private func send() {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = BIO_read(toSend, &bytes, 65_536)
    if count > 0 { socket.send(Array(bytes[..<Int(count)])) }
  }

  private func receive() -> Bool {
    guard case .bytes(let bytes) = socket.receive() else { return false }
    BIO_write(received, bytes, Int32(bytes.count))
    return true
  }

  /// Sends the last flight followed by a request, and waits for the answer or the end.
  ///
  /// - Returns: the server's answer; empty if it ends the connection.
  func finish(asking path: String) -> String {
    let request = Array("GET \(path) HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n".utf8)
    SSL_write(ssl, request, Int32(request.count))
    send()
    var answer = ""
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while receive() {
      while true {
        let count = SSL_read(ssl, &bytes, 65_536)
        guard count > 0 else { break }
        answer += String(decoding: bytes[..<Int(count)], as: UTF8.self)
      }
    }
    return answer
  }
}
