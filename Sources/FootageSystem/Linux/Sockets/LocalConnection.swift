internal import Glibc

/// A connection to a server on this machine, for a thread whose only task is to listen to it.
package struct LocalConnection: ~Copyable {
  private let descriptor: CInt
  private let wakeUp: WakeUp

  /// Connects. Never waits.
  ///
  /// - Parameters:
  ///   - path: the path of the server's socket.
  ///   - wakeUp: ends every wait from its first signal on.
  /// - Throws: `Errno`: no server is there, or no permission.
  package init(to path: String, wakeUp: WakeUp) throws(Errno) {
    let descriptor = try LocalSocket.make()
    do throws(Errno) { try LocalSocket.connect(descriptor, to: path) } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.wakeUp = wakeUp
  }

  deinit { close(descriptor) }

  /// Sends all of the bytes. Blocks.
  ///
  /// - Throws: `Errno`: the server has closed the connection; `.timedOut`; `.canceled` if `wakeUp` ended the wait.
  package func send(_ bytes: [UInt8], until deadline: Deadline) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
      try wait(POLLOUT, until: deadline)
      // Safe because the array lends its storage for the call.
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

  /// Waits for the next bytes. Blocks.
  ///
  /// - Returns: at most `capacity` bytes; empty if the server has closed the connection.
  /// - Throws: `Errno`: `.timedOut`; `.canceled` if `wakeUp` ended the wait.
  package func receive(_ capacity: Int, until deadline: Deadline) throws(Errno) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: capacity)
    while true {
      try wait(POLLIN, until: deadline)
      // Safe because the array lends its storage for the call.
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count >= 0 { return Array(buffer.prefix(count)) }
      guard errno == EAGAIN || errno == EINTR else { throw .current }
    }
  }

  private func wait(_ events: CInt, until deadline: Deadline) throws(Errno) {
    while true {
      var entries = [
        pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(events), revents: 0),
      ]
      switch unsafe poll(&entries, 2, Clock.system.patience(until: deadline)) {
      case 0: throw .timedOut
      case 1...:
        if entries[0].revents != 0 { throw .canceled }
        return
      default: if errno != EINTR { throw .current }
      }
    }
  }
}
