// OpenSSL's headers bring `timeval`, and in an optimised build it is theirs alone.
import CFootageOpenSSL
import Foundation

/// A TCP socket of the loopback, or an end of a pair within this process, that blocks, for no longer than a limit that
/// only a defect reaches. Closed when nobody holds it any more.
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

  /// What a call to receive came to.
  package enum Received {
    case bytes([UInt8])
    /// The peer has ended its side in good order.
    case end
    /// The connection was reset, or nothing has come in time.
    case failed(Int32)
  }

  package let descriptor: Int32

  /// In seconds: longer than anything takes that a test waits for.
  package static let patience = 60

  init(owning descriptor: Int32, patience: Int = patience) throws {
    guard descriptor >= 0 else { throw Failed("socket") }
    self.descriptor = descriptor
    // OpenSSL writes without MSG_NOSIGNAL; a peer that has closed must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    var patience = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// - Parameter type: further flags beside a stream's.
  private convenience init(flags: Int32 = 0, patience: Int = patience) throws {
    try self.init(
      owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags, 0), patience: patience)
  }

  /// Connects to a port of the loopback.
  ///
  /// - Parameter receiveBuffer: how much the kernel may hold for a reader that stands still; nil for as much as it
  ///   likes.
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
  ///   - port: any free one where it is 0, which somebody else may be given once this ends: ``HeldPort`` has better ones.
  ///   - backlog: how many callers may wait.
  package convenience init(listeningOn port: UInt16, backlog: Int32 = 64) throws {
    try self.init(boundTo: port)
    guard listen(descriptor, backlog) == 0 else { throw Failed("listen") }
    // Whoever listens waits for as long as it likes.
    var forever = timeval()
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &forever, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Has a port of the loopback, any free one where it is 0, and does not listen there.
  convenience init(boundTo port: UInt16) throws {
    try self.init(flags: 0)
    var on: Int32 = 1
    // What it accepts has it, too, so that another may listen there while such a connection is still ending.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    guard Self.withLoopback(port, { bind(descriptor, $0, $1) }) == 0 else { throw Failed("bind") }
  }

  /// Begins to connect, and waits for nothing.
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

  /// The port that it is bound to; 0 where it is to none.
  package var port: UInt16 { Self.port(of: descriptor) ?? 0 }

  /// The port that any socket of IPv4 is bound to; nil where the descriptor is no such socket.
  package static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return status == 0 ? UInt16(bigEndian: address.sin_port) : nil
  }

  /// Waits for a caller; nil when it was shut down.
  package func accept() -> BlockingSocket? { try? BlockingSocket(owning: Foundation.accept(descriptor, nil, nil)) }

  // MARK: Bytes

  /// - Returns: whether the peer is still there.
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

  /// Waits until the peer has closed it without a word.
  package func receivesEnd() -> Bool {
    switch receive() {
    case .bytes: false
    case .end: true
    case .failed(let number): number != EAGAIN
    }
  }

  /// Waits until there is something to read, or the end, and leaves it there.
  ///
  /// - Returns: whether there are bytes.
  package func waitForBytes() -> Bool { peek(0) > 0 }

  /// Whether the peer has ended the connection, asked without a wait: what has come before its end hides it.
  package var hasEnded: Bool {
    let count = peek(Int32(MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN)
  }

  private func peek(_ flags: Int32) -> Int {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | flags)
  }

  /// Whether what is sent waits for more, so that it leaves together.
  package func cork(_ isCorked: Bool) {
    var value: Int32 = isCorked ? 1 : 0
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, 4)
  }

  /// Whether it is an end of a pair within this process.
  private var isFromPair: Bool {
    var domain: Int32 = 0
    var length = socklen_t(4)
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX
  }

  /// Waits until the peer's kernel has what was sent.
  package func waitUntilDelivered() {
    // Within one kernel that is at once, and what is counted is what the peer has not read yet.
    guard !isFromPair else { return }
    var rest: Int32 = 1
    while rest > 0, ioctl(descriptor, UInt(TIOCOUTQ), &rest) == 0 { sched_yield() }
  }

  // MARK: Its end

  /// Ends this side in good order.
  package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends it for both sides, so that nobody waits for it any more; of one that listens, refuses callers.
  package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Resets it, when nobody holds it any more.
  package func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    shutdown(descriptor, Int32(SHUT_RD))
  }
}
