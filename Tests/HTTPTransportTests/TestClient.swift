import COpenSSL
import Foundation

/// A client that blocks, and does exactly what a test says: byte by byte if need be.
final class TestClient {
  struct Closed: Error {}

  let descriptor: Int32
  private var context: OpaquePointer?
  private var ssl: OpaquePointer?
  private var inbox: [UInt8] = []

  init(port: UInt16, _ transport: Transport, receiveBuffer: Int? = nil) throws {
    // OpenSSL writes without MSG_NOSIGNAL; a server that has closed must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var size = receiveBuffer.map(Int32.init) {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
    }
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Closed() }
    guard transport != .plain else { return }
    context = SSL_CTX_new(TLS_client_method())
    _ = copenssl_set_max_version(context, transport == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION)
    ssl = SSL_new(context)
    SSL_set_fd(ssl, descriptor)
    guard SSL_connect(ssl) == 1 else { throw Closed() }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
    close(descriptor)
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { buffer in
        ssl.map { Int(SSL_write($0, buffer.baseAddress, Int32(buffer.count))) }
          ?? Foundation.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Closed() }
      rest = rest.dropFirst(count)
    }
  }

  /// Whether what is sent waits for more, so that it leaves together.
  func cork(_ isCorked: Bool) {
    var value: Int32 = isCorked ? 1 : 0
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The TLS one; the socket stays.
  func sayGoodbye() { SSL_shutdown(ssl) }

  /// Waits until the server's side of the connection has what was sent.
  func waitUntilDelivered() {
    var rest: Int32 = 1
    while rest > 0, ioctl(descriptor, UInt(TIOCOUTQ), &rest) == 0 { sched_yield() }
  }

  /// Has the keys of this side changed (RFC 8446 §4.6.3), which takes a record without any bytes for the application.
  ///
  /// - Returns: whether the connection took it.
  func updateKeys() -> Bool { SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl) == 1 }

  /// Takes bytes from the socket and throws them away.
  func drop(atLeast count: Int) {
    var buffer = [UInt8](repeating: 0, count: 16384)
    var rest = count
    while rest > 0 {
      let received = recv(descriptor, &buffer, buffer.count, 0)
      guard received > 0 else { return }
      rest -= received
    }
  }

  /// How a connection ended.
  enum End: Equatable {
    /// With a close_notify, or a FIN where there is no TLS.
    case proper
    case cutOff
  }

  private(set) var end: End?

  /// - Returns: false at the end of the connection.
  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = ssl.map { Int(SSL_read($0, &buffer, 65536)) } ?? recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else {
      if let ssl {
        end = SSL_get_error(ssl, Int32(count)) == SSL_ERROR_ZERO_RETURN ? .proper : .cutOff
        ERR_clear_error()
      } else {
        end = count == 0 ? .proper : .cutOff
      }
      return false
    }
    inbox.append(contentsOf: buffer[..<count])
    return true
  }

  /// Everything until the connection ends.
  func receiveToEnd() -> [UInt8] {
    while receive() {}
    defer { inbox = [] }
    return inbox
  }

  struct Response {
    var status: Int
    var fields: [(name: String, value: String)]
    var body: [UInt8]

    subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// Waits until the server has sent something that was not read yet, and leaves it there.
  func waitForBytes() throws {
    var byte: UInt8 = 0
    guard recv(descriptor, &byte, 1, Int32(MSG_PEEK)) == 1 else { throw Closed() }
  }

  /// One response; its body by `Content-Length`.
  func response(to method: String = "GET") throws -> Response {
    let head = try receiveHead()
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
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

  /// Takes everything up to and with the first empty line.
  private func receiveHead() throws -> [UInt8] {
    let blank = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if inbox.count >= 4 {
        for index in searched...(inbox.count - 4) where Array(inbox[index..<(index + 4)]) == blank {
          defer { inbox.removeFirst(index + 4) }
          return Array(inbox[..<(index + 4)])
        }
        searched = inbox.count - 3
      }
      guard receive() else { throw Closed() }
    }
  }

  func get(_ path: String, _ fields: String..., method: String = "GET") throws -> Response {
    try send("\(method) \(path) HTTP/1.1\r\nHost: test\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n")
    return try response(to: method)
  }
}
