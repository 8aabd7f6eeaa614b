/// A server that does what a test says, byte by byte: one that lies, stalls, drips, or goes away.
// OpenSSL's headers bring `timeval`, and in an optimised build it is theirs alone.
import COpenSSL
import Foundation

/// Plain TCP on the loopback; each connection has a thread of its own.
package final class ScriptedServer: @unchecked Sendable {
  /// One connection, for the thread that plays it.
  package final class Connection: @unchecked Sendable {
    private let descriptor: Int32
    private var inbox: [UInt8] = []

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      var patience = timeval(tv_sec: 30, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { Foundation.close(descriptor) }

    /// The next request's head; nil at the connection's end.
    package func readHead() -> String? {
      let blank = Array("\r\n\r\n".utf8)
      while true {
        if let end = inbox.indices.first(where: { inbox[$0...].starts(with: blank) }) {
          defer { inbox.removeFirst(end + 4) }
          return String(decoding: inbox[..<(end + 4)], as: UTF8.self)
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        inbox += buffer[..<count]
      }
    }

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Stops where the peer is gone.
    ///
    /// - Returns: whether it is still there.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    /// Waits for bytes; nil at the connection's end.
    package func receive() -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Waits until the peer has ended the connection; false where something else came.
    package func waitForEnd() -> Bool {
      var byte: UInt8 = 0
      return recv(descriptor, &byte, 1, 0) <= 0
    }

    /// Ends it in good order.
    package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends it for both sides, so that nobody waits for it any more.
    package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Resets it.
    package func reset() {
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      shutdown(descriptor, Int32(SHUT_RD))
    }
  }

  package let port: UInt16
  private let listener: Int32
  private let lock = NSLock()
  private var accepted = 0
  private let play: @Sendable (Connection, Int) -> Void

  /// How many connections were made.
  package var connectionCount: Int { lock.withLock { accepted } }

  /// - Parameter play: plays one connection, which closes when it returns; the number counts from 0.
  package init(_ play: @escaping @Sendable (Connection, Int) -> Void) throws {
    signal(SIGPIPE, SIG_IGN)
    self.play = play
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    listener = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isBound else { throw CocoaError(.featureUnsupported) }
    port = UInt16(bigEndian: address.sin_port)
    // Lives until it is stopped, or the tests end: a test need not hold it.
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { break }
        let number = lock.withLock {
          defer { accepted += 1 }
          return accepted
        }
        Thread.detachNewThread { [self] in self.play(Connection(connection), number) }
      }
      close(descriptor)
    }
  }

  /// New connections are refused from now on.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
