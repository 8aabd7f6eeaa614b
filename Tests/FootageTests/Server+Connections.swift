/// Connections to the server that curl does not make: by `openssl s_client`, and by plain sockets.
import Foundation
import TestSupport
import Testing

extension Server {
  /// Runs `openssl s_client`, which sends a request when there is one and ends when the server closes.
  func sClient(_ arguments: String..., request path: String? = nil, input: String? = nil) throws -> Command.Outcome {
    try sClient(arguments: arguments, request: path, input: input)
  }

  func sClient(arguments: [String], request path: String? = nil, input: String? = nil) throws -> Command.Outcome {
    let request = path.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" }
    return try Command(
      "openssl",
      arguments: [
        "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "localhost", "-CAfile", certs + "/server.pem",
      ] + (request == nil ? [] : ["-ign_eof"]) + arguments,
      input: request ?? input
    ).run()
  }
}

/// A TCP connection that need not say anything.
final class PlainSocket {
  private let descriptor: Int32
  private var isClosed = false

  init(to port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(descriptor >= 0 && connected == 0, "connecting failed: \(String(cString: strerror(errno)))")
  }

  deinit { close() }

  func send(_ bytes: [UInt8]) { _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  /// Waits until the other side has closed without a word.
  func receivesEnd() -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) <= 0
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    _ = Foundation.close(descriptor)
  }
}
