internal import Foundation
internal import Glibc

/// The C library's sockets, as far as the stand-in for Network needs them. None of them blocks.
enum Sockets {
  /// Begins to connect; below 0 where that failed at once.
  static func connecting(to address: ResolvedAddress) -> Int32 {
    let descriptor = make(address.family)
    guard descriptor >= 0 else { return -1 }
    let result = address.withSockAddr { Glibc.connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else {
      let number = errno
      Glibc.close(descriptor)
      errno = number
      return -1
    }
    return descriptor
  }

  /// - Parameter port: any free one where it is 0.
  static func listening(on address: ResolvedAddress, reusing: Bool) -> Int32 {
    let descriptor = make(address.family)
    guard descriptor >= 0 else { return -1 }
    var on: Int32 = 1
    if reusing { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4) }
    guard address.withSockAddr({ Glibc.bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 64) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      errno = number
      return -1
    }
    return descriptor
  }

  private static func make(_ family: Int32) -> Int32 {
    socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
  }

  static func accept(_ listener: Int32) -> Int32 {
    let descriptor = Glibc.accept(listener, nil, nil)
    if descriptor >= 0 { prepare(descriptor) }
    return descriptor
  }

  /// Ends listening and lets go of the port, also where a process that is just being started has the descriptor until it
  /// runs its program.
  static func endListening(_ descriptor: Int32) {
    _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
    Glibc.close(descriptor)
  }

  private static func prepare(_ descriptor: Int32) {
    _ = Glibc.fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = Glibc.fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Returns the error of an attempt to connect; 0 if it has succeeded.
  static func error(of descriptor: Int32) -> Int32 {
    var number: Int32 = 0
    var length = socklen_t(4)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
    return number
  }

  static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  static func resetOnClose(_ descriptor: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  static func noDelay(_ descriptor: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
  }

  static func pipe() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    Glibc.pipe(&ends)
    for end in ends { prepare(end) }
    return (ends[0], ends[1])
  }
}

/// One address of a host.
struct ResolvedAddress {
  let family: Int32
  private let bytes: [UInt8]

  /// - Returns: an error number of `getaddrinfo` where there is none.
  static func all(_ host: String, _ port: UInt16) -> [ResolvedAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [ResolvedAddress] = []
    var next = list
    while let entry = next {
      found.append(
        ResolvedAddress(
          family: entry.pointee.ai_family,
          bytes: Array(UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen)))))
      next = entry.pointee.ai_next
    }
    return found
  }

  func withSockAddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("an address has bytes") }
      return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}

enum Numeric {
  enum Family { case ipv4, ipv6 }

  static func isAddress(_ text: String, of family: Family) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(family == .ipv4 ? AF_INET : AF_INET6, String(text.prefix { $0 != "%" }), &bytes) == 1
  }
}
