// OpenSSL's headers bring in `timeval`. In an optimized build it comes only from them.
import CFootageOpenSSL
import Foundation

/// A blocking TCP socket on the loopback, or one end of a pair within this process. A call blocks no longer than a
/// limit that only a defect reaches. The socket is closed with its last reference.
package final class BlockingSocket: Sendable {
  /// A call that failed, with its error number.
  package struct Failed: Error, CustomStringConvertible {
    package let call: String
    package let number: Int32

    init(_ call: String) {
      self.call = call
      number = errno
    }

    package var description: String { "\(call): \(String(cString: strerror(number)))" }
  }

  /// The result of a call to receive.
  package enum Received {
    case bytes([UInt8])
    /// The peer has ended its side in an orderly way.
    case end
    /// The connection was reset, or nothing arrived in time.
    case failed(Int32)
  }

  package let descriptor: Int32

  /// The default limit for a blocking call, in seconds: longer than anything that a test waits for.
  package static let patience = 60

  init(owning descriptor: Int32, patience: Int = patience) throws {
    guard descriptor >= 0 else { throw Failed("socket") }
    self.descriptor = descriptor
    // OpenSSL writes without MSG_NOSIGNAL, and a peer that has closed must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    var patience = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// - Parameter flags: flags in addition to those of a stream socket.
  private convenience init(flags: Int32 = 0, patience: Int = patience) throws {
    try self.init(
      owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags, 0), patience: patience)
  }

  /// Connects to a port of the loopback.
  ///
  /// - Parameter receiveBuffer: the bytes that the kernel may hold for a reader that has stopped reading; nil for the
  ///   system's default.
  package convenience init(to port: some BinaryInteger, receiveBuffer: Int? = nil, patience: Int = patience) throws {
    try self.init(patience: patience)
    if var size = receiveBuffer.map(Int32.init) { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    guard Self.withLoopback(UInt16(port), { connect(descriptor, $0, $1) }) == 0 else { throw Failed("connect") }
  }

  /// Connects to a port of the loopback, from one of the addresses of 127.0.0.0/8.
  package convenience init(to port: some BinaryInteger, from address: (UInt8, UInt8, UInt8)) throws {
    try self.init(patience: Self.patience)
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_addr.s_addr = inet_addr("127.\(address.0).\(address.1).\(address.2)")
    let bound = withUnsafePointer(to: own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else { throw Failed("bind") }
    guard Self.withLoopback(UInt16(port), { connect(descriptor, $0, $1) }) == 0 else { throw Failed("connect") }
  }

  /// Listens on the loopback.
  ///
  /// - Parameters:
  ///   - port: 0 for any free port. Another process may get that port once this socket is closed; ``HeldPort`` has no
  ///     such gap.
  ///   - backlog: the number of callers that may wait.
  package convenience init(listeningOn port: UInt16, backlog: Int32 = 64) throws {
    try self.init(boundTo: port)
    guard listen(descriptor, backlog) == 0 else { throw Failed("listen") }
    // A listening socket waits without a limit.
    var forever = timeval()
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &forever, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Binds a port of the loopback, any free one if it is 0, and does not listen on it.
  convenience init(boundTo port: UInt16) throws {
    try self.init(flags: 0)
    var on: Int32 = 1
    // Accepted connections inherit the option, so that another socket may listen there while one of them is still
    // ending.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    guard Self.withLoopback(port, { bind(descriptor, $0, $1) }) == 0 else { throw Failed("bind") }
  }

  /// Begins to connect, without waiting.
  package convenience init(beginningToConnectTo port: UInt16) throws {
    try self.init(flags: Int32(SOCK_NONBLOCK.rawValue))
    guard Self.withLoopback(port, { connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS else {
      throw Failed("connect")
    }
  }

  deinit { close(descriptor) }

  private static func withLoopback<Result>(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// The port that the socket is bound to; 0 if it is not bound.
  package var port: UInt16 { Self.port(of: descriptor) ?? 0 }

  /// Returns the port that an IPv4 socket is bound to; nil if the descriptor is not such a socket.
  package static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return status == 0 ? UInt16(bigEndian: address.sin_port) : nil
  }

  /// Waits for a caller; returns nil when the socket was shut down.
  package func accept() -> BlockingSocket? { try? BlockingSocket(owning: Foundation.accept(descriptor, nil, nil)) }

  // MARK: Bytes

  /// Sends bytes and waits until the kernel has accepted them.
  ///
  /// - Returns: true if the peer is still there.
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

  /// Waits for bytes.
  package func receive(upTo limit: Int = 65_536) -> Received {
    var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { return .bytes(Array(buffer[..<count])) }
    return count == 0 ? .end : .failed(errno)
  }

  /// Waits until the peer has closed the connection without sending anything.
  package func receivesEnd() -> Bool {
    switch receive() {
    case .bytes: false
    case .end: true
    case .failed(let number): number != EAGAIN
    }
  }

  /// Waits until there are bytes to read, or the end, without consuming them.
  ///
  /// - Returns: true if there are bytes.
  package func waitForBytes() -> Bool { peek(0) > 0 }

  /// True if the peer has ended the connection. The check does not block; bytes that came before the end hide it.
  package var hasEnded: Bool {
    let count = peek(Int32(MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN)
  }

  private func peek(_ flags: Int32) -> Int {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | flags)
  }

  /// Sets whether sent bytes are held back, so that they leave together with later ones.
  package func cork(_ isCorked: Bool) {
    var value: Int32 = isCorked ? 1 : 0
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, 4)
  }

  /// True if the socket is one end of a pair within this process.
  private var isFromPair: Bool {
    var domain: Int32 = 0
    var length = socklen_t(4)
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX
  }

  /// Waits until the peer's kernel has the sent bytes.
  package func waitUntilDelivered() {
    // Within one kernel, delivery is immediate, and the ioctl would count the bytes that the peer has not read yet.
    guard !isFromPair else { return }
    var rest: Int32 = 1
    while rest > 0, ioctl(descriptor, UInt(TIOCOUTQ), &rest) == 0 { sched_yield() }
  }

  // MARK: Its end

  /// Ends this side in an orderly way.
  package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends the connection in both directions, so that no thread waits for it any longer. A listening socket refuses
  /// callers from then on.
  package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Makes the connection reset when its last reference is gone.
  package func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    shutdown(descriptor, Int32(SHUT_RD))
  }
}
