/// The owner of a connection, determined from arbitrary kernel answers and files of `/proc`.
import Foundation
@testable import FootageSystem
import TestSupport
import Testing

@testable import FootageServing

@Suite struct SocketOwnerTests {
  static let near = SocketAddress(addressBytes: [127, 0, 0, 1], port: 8080)
  static let far = SocketAddress(addressBytes: [127, 0, 0, 1], port: 59_070)

  /// The answer of `socket(AF_NETLINK, …, NETLINK_SOCK_DIAG)` on x86-64: a connection of user 65534.
  static let answer: [UInt8] =
    // struct nlmsghdr: length, type, flags, sequence, port.
    [124, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 10, 88, 0, 0]
    // struct inet_diag_msg: AF_INET, TCP_ESTABLISHED, timer, retransmissions,
    + [2, 1, 0, 0]
    // both ports, both addresses, interface and cookie,
    + [0xE6, 0xBE, 0x1F, 0x90] + [127, 0, 0, 1] + zeros(12) + [127, 0, 0, 1] + zeros(12) + zeros(4)
    + [1, 2, 3, 4, 5, 6, 7, 8]
    // expiry, both queues, user and inode;
    + zeros(12) + [0xFE, 0xFF, 0, 0] + [0x66, 0x58, 0x1B, 0]
    // attributes.
    + zeros(36)

  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  // MARK: The kernel's answer

  @Test func `an answer of the kernel gives both ends, the user and the inode`() {
    let row = SocketDiagnostics.row(in: Self.answer[...])
    #expect(row == SocketRow(local: Self.far, remote: Self.near, user: 65_534, inode: 1_792_102))
  }

  @Test func `an address of IPv4 in a socket of IPv6 is that address`() {
    var answer = Self.answer
    answer[16] = 10
    for start in [24, 40] {
      answer.replaceSubrange(start..<start + 16, with: Self.zeros(10) + [255, 255, 127, 0, 0, 1])
    }
    let row = SocketDiagnostics.row(in: answer[...])
    #expect(row?.local == Self.far && row?.remote == Self.near)
  }

  @Test func `no end of an answer is more than no answer`() {
    // The attributes are not examined; the length shows if they are there.
    for count in 0..<Self.answer.count { #expect(SocketDiagnostics.row(in: Self.answer[..<count]) == nil) }
    let error: [UInt8] = [36, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF] + Self.zeros(16)
    #expect(SocketDiagnostics.row(in: error[...]) == nil)
  }

  @Test(arguments: [(0, 12), (0, 255), (4, 2), (8, 2), (16, 17)])
  func `an answer that is of another kind counts for nothing`(place: Int, value: UInt8) {
    var answer = Self.answer
    answer[place] = value
    #expect(SocketDiagnostics.row(in: answer[...]) == nil)
  }

  @Test func `damaged answers and lines harm nobody`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = Numbers(state: seed)
    let line = Array(Self.line(user: 1000, inode: 5).utf8)
    for _ in 0..<2_000 {
      for original in [Self.answer, line] {
        var bytes = original
        for _ in 0...(random.next() % 4) {
          bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() % 256)
        }
        bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1))))
        // The result does not matter; nothing may trap.
        _ = SocketDiagnostics.row(in: bytes[...])
        _ = SocketFile.row(bytes[...])
        _ = SocketFile.row(in: bytes + [10] + bytes, Self.far, Self.near)
      }
    }
    #expect(SocketFile.row(line[...])?.user == 1000, "seed \(seed)")
  }

  private struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }

  // MARK: The lines of the files

  static func line(user: Int, inode: Int) -> String {
    "   2: 0100007F:E6BE 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 0 20 4 30 10 -1"
  }

  @Test(arguments: [
    (line(user: 0, inode: 1_792_078), 0, 1_792_078), (line(user: 65_534, inode: 7), 65_534, 7),
    // A connection that waits for its last packets (TIME_WAIT) no longer has an inode.
    (
      "   2: 0100007F:E6BE 0100007F:1F90 06 00000000:00000000 03:0000176D 00000000     0        0 0 3 000000003e88396c",
      0, 0
    ),
    (
      """
         0: 0000000000000000FFFF00000100007F:E6BE 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 \
      00:00000000 00000000  1000        0 12 1 0 20 4 30 10 -1
      """, 1000, 12
    ),
  ])
  func `a line gives both ends, the user and the inode`(line: String, user: UInt32, inode: UInt32) {
    let row = SocketRow(local: Self.far, remote: Self.near, user: user, inode: inode)
    #expect(SocketFile.row(Array(line.utf8)[...]) == row)
    let text = "  sl  local_address rem_address   st\n   0: 00000000:07E8 00000000:0000 0A 0:0 0:0 0 0 0 9\n\(line)\n"
    #expect(SocketFile.row(in: Array(text.utf8), Self.far, Self.near) == row)
    #expect(SocketFile.row(in: Array(text.utf8), Self.near, Self.far) == nil)
  }

  @Test(arguments: [
    "", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
    "2: 0100007F:E6BE 0100007F:1F90 01 0:0 0:0 0 1000 0",
    "2: 0100007F:E6BE 0100007F:1F90 01 0:0 0:0 0 -1 0 5", "2: 0100007F:E6BE 0100007F:1F90 01 0:0 0:0 0 +1 0 5",
    "2: 0100007F:E6BE 0100007F:1F90 01 0:0 0:0 0 4294967296 0 5", "2: 0100007F:E6BE 0100007F:1F90 01 0:0 0:0 0 1 0 x",
    "2: 0100007F:E6BE0 0100007F:1F90 01 0:0 0:0 0 1 0 5", "2: 100007F:E6BE 0100007F:1F90 01 0:0 0:0 0 1 0 5",
    "2: 0100007F 0100007F:1F90 01 0:0 0:0 0 1 0 5", "2: 0100007F:E6BE 0100007F:1F90:1 01 0:0 0:0 0 1 0 5",
    "2: +100007F:E6BE 0100007F:1F90 01 0:0 0:0 0 1 0 5", "2: 0100007F:+6BE 0100007F:1F90 01 0:0 0:0 0 1 0 5",
  ])
  func `a line that is none gives nothing`(line: String) {
    #expect(SocketFile.row(Array(line.utf8)[...]) == nil)
  }

  // MARK: Live

  /// A connection within this process.
  private final class Connection {
    let listener: ListeningSocket
    let client: Int32
    let served: Socket
    let far: SocketAddress
    let near: SocketAddress

    init(isIPv6: Bool) throws {
      listener = try ListeningSocket(SocketAddress(addressBytes: [127, 0, 0, 1], port: 0), unsentLimit: 1 << 16)
      let port = listener.address.port
      let client = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      self.client = client
      let status: Int32
      if isIPv6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr)
        status = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(client, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
          }
        }
      } else {
        status = SocketAddress(addressBytes: [127, 0, 0, 1], port: port).withSockAddr { connect(client, $0, $1) }
      }
      try #require(status == 0)
      guard case .accepted(let socket) = listener.accept() else { throw CocoaError(.featureUnsupported) }
      served = socket
      far = socket.peer
      near = try #require(socket.local)
    }

    deinit { if isOpen { close(client) } }

    private var isOpen = true

    func closeClient() {
      isOpen = false
      close(client)
    }
  }

  @Test(arguments: [false, true])
  func `a connection of this process is this user's, and nobody's once it is closed`(isIPv6: Bool) throws {
    let connection = try Connection(isIPv6: isIPv6)
    let tables = SocketTables.system
    try #require(tables.know(connection.listener.address), "this system says nothing about sockets")
    #expect(tables.ownerAtOnce(ofPeer: connection.far, of: connection.near) == .user(geteuid()))
    #expect(tables.ownerFromFiles(ofPeer: connection.far, of: connection.near) == .user(geteuid()))
    connection.closeClient()
    // A program that another test has just started has the socket, too, until it runs.
    try eventually("the socket to be closed") {
      tables.ownerAtOnce(ofPeer: connection.far, of: connection.near) == .nobody
    }
    #expect(tables.ownerFromFiles(ofPeer: connection.far, of: connection.near) == .nobody)
  }

  @Test func `a peer that nothing is said about is nobody only where this end is known`() {
    let (far, near) = (Self.far, Self.near)
    let silent = SocketTables(kernel: { _, _ in nil }, files: { _, _ in nil })
    #expect(silent.ownerAtOnce(ofPeer: far, of: near) == .unknown && !silent.know(near))
    let own = SocketTables(
      kernel: { local, remote in local == near ? SocketRow(local: local, remote: remote, user: 0, inode: 1) : nil },
      files: { _, _ in nil })
    #expect(own.ownerAtOnce(ofPeer: far, of: near) == .nobody && own.know(near))
    let left = SocketTables(
      kernel: { local, remote in SocketRow(local: local, remote: remote, user: 0, inode: 0) }, files: { _, _ in nil })
    #expect(left.ownerAtOnce(ofPeer: far, of: near) == .nobody)
  }

  // MARK: Listeners that others close

  @Test func `a listener knows that it was closed or shut down, and closes nobody else's file`() throws {
    let address = SocketAddress(addressBytes: [127, 0, 0, 1], port: 0)
    let stopped = try ListeningSocket(address, unsentLimit: 1 << 16)
    #expect(stopped.isListening)
    shutdown(try Self.descriptor(of: stopped), Int32(SHUT_RDWR))
    #expect(!stopped.isListening)
    guard case .over = stopped.accept() else { return #expect(Bool(false), "it still accepts") }
    // The port is free for another listener although the descriptor is still open.
    let next = try ListeningSocket(stopped.address, unsentLimit: 1 << 16)
    #expect(next.isListening && next.address == stopped.address)
    let pipe = Pipe()
    var number: Int32 = -1
    do {
      let closed = try ListeningSocket(address, unsentLimit: 1 << 16)
      number = try Self.descriptor(of: closed)
      // Another file takes over the number.
      dup2(pipe.fileHandleForWriting.fileDescriptor, number)
      #expect(!closed.isListening)
      guard case .over = closed.accept() else { return #expect(Bool(false), "it still accepts") }
      closed.stop()
    }
    #expect(write(number, "x", 1) == 1)
    close(number)
  }

  /// Returns the number of the descriptor that listens there.
  private static func descriptor(of listener: ListeningSocket) throws -> Int32 {
    try #require((3..<1024).first { SocketAddress(boundTo: $0) == listener.address })
  }
}
