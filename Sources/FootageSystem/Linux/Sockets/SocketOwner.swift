internal import CFootageLinux
internal import Glibc

/// The owner of the other end of a connection within this machine.
package enum SocketOwner: Hashable, Sendable {
  /// The user with this number.
  case user(UInt32)
  /// No process has the other end open any more.
  case nobody
  /// The system does not report the owner.
  case unknown
}

/// The system's information on one socket.
package struct SocketRow: Hashable, Sendable {
  package let local: SocketAddress
  package let remote: SocketAddress
  package let user: UInt32
  /// The inode of the socket; 0 if no process has it any more, in which case the user has no meaning.
  package let inode: UInt32

  package init(local: SocketAddress, remote: SocketAddress, user: UInt32, inode: UInt32) {
    self.local = local
    self.remote = remote
    self.user = user
    self.inode = inode
  }
}

/// The sources of information on sockets: `sock_diag`, which a sandbox may forbid, or else files in `/proc`, which a
/// container may lack.
package struct SocketTables: Sendable {
  /// - Returns: the socket with exactly these ends; nil if there is none, or the source does not work.
  package typealias Lookup = @Sendable (_ local: SocketAddress, _ remote: SocketAddress) -> SocketRow?

  private let kernel: Lookup
  private let files: Lookup

  /// - Parameters:
  ///   - kernel: answers immediately.
  ///   - files: takes longer the more sockets there are.
  package init(kernel: @escaping Lookup, files: @escaping Lookup) {
    self.kernel = kernel
    self.files = files
  }

  package static let system = SocketTables(
    kernel: SocketDiagnostics.row,
    files: { local, remote in
      // A program that uses IPv6 may also connect to an IPv4 address.
      SocketFile.row(in: "/proc/net/tcp", local, remote) ?? SocketFile.row(in: "/proc/net/tcp6", local, remote)
    })

  /// Returns the owner of the far end of a connection of this process, or `.unknown` if the kernel does not report it
  /// without waiting.
  ///
  /// - Parameters:
  ///   - local: the end of this process.
  ///   - peer: the far end, on this machine.
  package func ownerAtOnce(ofPeer peer: SocketAddress, of local: SocketAddress) -> SocketOwner {
    Self.owner(ofPeer: peer, of: local, in: kernel)
  }

  /// Returns the owner of the far end according to the files; blocks for up to a few milliseconds.
  package func ownerFromFiles(ofPeer peer: SocketAddress, of local: SocketAddress) -> SocketOwner {
    Self.owner(ofPeer: peer, of: local, in: files)
  }

  /// Returns true if one of the two sources reports sockets at all, which is tested with a socket that this process
  /// listens on. May take a few milliseconds.
  package func know(_ listener: SocketAddress) -> Bool {
    let nobody = SocketAddress(addressBytes: listener.addressBytes.map { _ in 0 }, port: 0)
    return kernel(listener, nobody) != nil || files(listener, nobody) != nil
  }

  private static func owner(ofPeer peer: SocketAddress, of local: SocketAddress, in lookup: Lookup) -> SocketOwner {
    if let row = lookup(peer, local) { return row.inode == 0 ? .nobody : .user(row.user) }
    // If even this process's own end is unknown, the absence of the far end has no meaning.
    return lookup(local, peer) == nil ? .unknown : .nobody
  }
}

/// One question to the kernel, and its answer (man 7 sock_diag; linux/inet_diag.h).
enum SocketDiagnostics {
  private static let headerLength = 16
  /// `struct inet_diag_sockid`: two ports, two addresses of 16 bytes, an interface and a cookie.
  private static let socketLength = 48
  private static let requestLength = headerLength + 8 + socketLength
  /// `struct inet_diag_msg`.
  private static let answerLength = headerLength + 4 + socketLength + 20
  private static let sockDiagByFamily: UInt16 = 20
  private static let request: UInt16 = 1
  /// The number of the question. The kernel answers on the socket that asked, so one number suffices.
  private static let sequence: UInt32 = 1

  /// Asks for the TCP socket with exactly these ends. Never blocks.
  @Sendable static func row(_ local: SocketAddress, _ remote: SocketAddress) -> SocketRow? {
    guard let question = question(local, remote) else { return nil }
    var answer = [UInt8](repeating: 0, count: 1024)
    // Safe because each buffer is passed with its length.
    let count = unsafe question.withUnsafeBytes { question in
      unsafe answer.withUnsafeMutableBytes {
        unsafe clinux_ask_about_sockets(question.baseAddress, question.count, $0.baseAddress, $0.count)
      }
    }
    guard count > 0, count <= answer.count, let row = row(in: answer[..<count]) else { return nil }
    // If the connection is gone, the kernel may return a listener instead.
    return row.local == local && row.remote == remote ? row : nil
  }

  /// - Returns: nil unless both are IPv4 addresses, or both are IPv6 addresses.
  static func question(_ local: SocketAddress, _ remote: SocketAddress) -> [UInt8]? {
    guard local.addressBytes.count == remote.addressBytes.count, [4, 16].contains(local.addressBytes.count) else {
      return nil
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(requestLength)
    append(UInt32(requestLength), to: &bytes)
    append(sockDiagByFamily, to: &bytes)
    append(request, to: &bytes)
    append(sequence, to: &bytes)
    append(UInt32(0), to: &bytes)
    bytes += [UInt8(local.isIPv6 ? AF_INET6 : AF_INET), UInt8(IPPROTO_TCP), 0, 0]
    // All states are included.
    append(UInt32.max, to: &bytes)
    append(local.port.bigEndian, to: &bytes)
    append(remote.port.bigEndian, to: &bytes)
    for address in [local, remote] {
      bytes += address.addressBytes + [UInt8](repeating: 0, count: 16 - address.addressBytes.count)
    }
    append(UInt32(0), to: &bytes)
    // No cookie (INET_DIAG_NOCOOKIE).
    append(UInt64.max, to: &bytes)
    return bytes
  }

  /// - Returns: nil for an error, and for an incomplete answer.
  static func row(in answer: ArraySlice<UInt8>) -> SocketRow? {
    var fields = NativeFields(answer)
    guard answer.count >= answerLength, let length: UInt32 = fields.next(), length >= answerLength,
      length <= answer.count, let kind: UInt16 = fields.next(), kind == sockDiagByFamily, fields.skip(2),
      let number: UInt32 = fields.next(), number == sequence, fields.skip(4),
      let family: UInt8 = fields.next(), fields.skip(3),
      let localPort: UInt16 = fields.next(), let remotePort: UInt16 = fields.next(),
      let localBytes = fields.bytes(16), let remoteBytes = fields.bytes(16), fields.skip(12 + 12),
      let user: UInt32 = fields.next(), let inode: UInt32 = fields.next(),
      let local = address(localBytes, UInt16(bigEndian: localPort), family),
      let remote = address(remoteBytes, UInt16(bigEndian: remotePort), family)
    else { return nil }
    return SocketRow(local: local, remote: remote, user: user, inode: inode)
  }

  private static func address(_ bytes: [UInt8], _ port: UInt16, _ family: UInt8) -> SocketAddress? {
    switch CInt(family) {
    case AF_INET: SocketAddress(addressBytes: Array(bytes.prefix(4)), port: port)
    case AF_INET6: SocketAddress(ipv6Bytes: bytes, port: port)
    default: nil
    }
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
  }
}

/// Numbers one after another, in this machine's byte order.
private struct NativeFields {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

  mutating func next<Number: FixedWidthInteger>() -> Number? {
    guard let bytes = bytes(MemoryLayout<Number>.size) else { return nil }
    // Safe because there are as many bytes as the number has.
    return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: Number.self) }
  }
}

/// `/proc/net/tcp` and `/proc/net/tcp6` (man 5 proc_net): a line for each socket.
enum SocketFile {
  /// The most bytes that are read; a hundred thousand sockets need fewer.
  private static let longest = 32 << 20
  private static let chunk = 64 << 10

  static func row(in path: String, _ local: SocketAddress, _ remote: SocketAddress) -> SocketRow? {
    // A row that moves in the table during a read may be missed, but hardly twice.
    row(in: read(path), local, remote) ?? row(in: read(path), local, remote)
  }

  static func row(in text: [UInt8], _ local: SocketAddress, _ remote: SocketAddress) -> SocketRow? {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      if let row = row(line), row.local == local, row.remote == remote { return row }
    }
    return nil
  }

  /// Reads a line: `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …`.
  ///
  /// - Returns: nil for the line of titles, and for anything else that is not such a line.
  static func row(_ line: ArraySlice<UInt8>) -> SocketRow? {
    let words = line.split(separator: UInt8(ascii: " "))
    guard words.count >= 10, let local = address(words[1]), let remote = address(words[2]),
      let user = number(words[7], radix: 10), let inode = number(words[9], radix: 10)
    else { return nil }
    return SocketRow(local: local, remote: remote, user: user, inode: inode)
  }

  /// Reads `0100007F:1F90`: each group of four bytes of the address is a number in this machine's byte order, and the
  /// port is a plain number.
  private static func address(_ word: ArraySlice<UInt8>) -> SocketAddress? {
    let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 4, let port = number(parts[1], radix: 16),
      [8, 32].contains(parts[0].count)
    else { return nil }
    var bytes: [UInt8] = []
    var digits = parts[0]
    while !digits.isEmpty {
      guard let four = number(digits.prefix(8), radix: 16) else { return nil }
      unsafe withUnsafeBytes(of: four) { unsafe bytes.append(contentsOf: $0) }
      digits = digits.dropFirst(8)
    }
    return bytes.count == 16
      ? SocketAddress(ipv6Bytes: bytes, port: UInt16(port)) : SocketAddress(addressBytes: bytes, port: UInt16(port))
  }

  /// Reads digits only: no sign, no blank.
  private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt32? {
    guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
  }

  /// Returns the contents of a file; empty if it cannot be read.
  private static func read(_ path: String) -> [UInt8] {
    guard let file = try? FileDescriptor.open(path, .reading) else { return [] }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: chunk)
    while text.count < longest {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe (try? file.read(into: $0)) ?? 0 }
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return text
  }
}
