internal import Glibc

/// A question to a server on this machine, and its whole answer, for a command that does nothing else.
package enum LocalExchange {
  /// The place where the server listens.
  package enum Place: Hashable, Sendable {
    case path(String)
    case address(SocketAddress)
  }

  /// Sends the question, and reads until the server closes the connection. Blocks, but no longer than the deadline
  /// allows.
  ///
  /// - Parameters:
  ///   - limit: the most bytes of the answer to read.
  /// - Throws: `Errno`: no server is there, or no permission; `.timedOut`.
  package static func ask(
    _ place: Place, _ question: [UInt8], until deadline: Deadline, limit: Int
  ) throws(Errno) -> [UInt8] {
    let descriptor: CInt
    switch place {
    case .path: descriptor = try LocalSocket.make()
    case .address(let address): descriptor = try Socket.make(for: address)
    }
    defer { close(descriptor) }
    switch place {
    case .path(let path): try LocalSocket.connect(descriptor, to: path)
    case .address(let address):
      let result = unsafe address.withSockAddr { unsafe connect(descriptor, $0, $1) }
      guard result == 0 || errno == EINPROGRESS || errno == EINTR else { throw .current }
      try wait(descriptor, POLLOUT, until: deadline)
      var number: CInt = 0
      var length = socklen_t(MemoryLayout<CInt>.size)
      _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
      guard number == 0 else { throw Errno(rawValue: number) }
    }
    try send(question[...], descriptor, until: deadline)
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while answer.count < limit {
      try wait(descriptor, POLLIN, until: deadline)
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count == 0 { break }
      guard count > 0 else {
        if errno == EAGAIN || errno == EINTR { continue }
        throw .current
      }
      answer += buffer[..<min(count, limit - answer.count)]
    }
    return answer
  }

  private static func send(
    _ bytes: ArraySlice<UInt8>, _ descriptor: CInt, until deadline: Deadline
  ) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      try wait(descriptor, POLLOUT, until: deadline)
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count >= 0 else {
        if errno == EAGAIN || errno == EINTR { continue }
        throw .current
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func wait(_ descriptor: CInt, _ events: CInt, until deadline: Deadline) throws(Errno) {
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      switch unsafe poll(&entry, 1, Clock.system.patience(until: deadline)) {
      case 0: throw .timedOut
      case 1...: return
      default: if errno != EINTR { throw .current }
      }
    }
  }
}
