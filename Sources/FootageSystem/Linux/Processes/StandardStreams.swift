internal import Glibc

/// The three streams that a process is started with.
package enum StandardStreams {
  /// Occupies the numbers of streams that were closed before this process began, so that no file gets one of them;
  /// otherwise standard output could be written into that file. Call this before anything is opened. Calls `fcntl` and
  /// `open`.
  package static func reserve() {
    for number in 0...2 as ClosedRange<CInt> where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // Opened for the wrong direction, so that using it fails as before.
      _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// The stream for messages to people.
package enum StandardError {
  /// Writes the bytes. Blocks until the system has accepted them, and gives up if it cannot, for example because no
  /// reader is left.
  package static func write(_ bytes: [UInt8]) { writeAll(bytes, to: 2) }
}

/// The stream for results.
package enum StandardOutput {
  /// Writes the bytes. Blocks until the system has accepted them, and gives up if it cannot, for example because no
  /// reader is left. Nothing is buffered in this process.
  ///
  /// - Returns: the reason why not all of it was written; nil if it was.
  @discardableResult
  package static func write(_ bytes: [UInt8]) -> Errno? { writeAll(bytes, to: 1) }

  /// Ends the results, since some file systems report only then that some of them were lost. Calls `close`.
  ///
  /// - Returns: the reason why not all of them were stored; nil if they were.
  package static func close() -> Errno? { Glibc.close(1) == 0 || errno == EINTR ? nil : .current }
}

/// The stream for typed input.
package enum StandardInput {
  /// Waits for a line, and returns it without its end; nil if the input ends, or the line is longer than 4 KiB.
  package static func readLine() -> String? {
    var line: [UInt8] = []
    while line.count < 4096 {
      var byte: UInt8 = 0
      let count = unsafe read(0, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }
}

@discardableResult
private func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Errno? {
  var rest = bytes[...]
  while !rest.isEmpty {
    // Safe because the slice's storage is borrowed for the call, and its length is passed along.
    let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if count == 0 {
      return .ioError
    } else if errno == EAGAIN {
      // The program at the other end, or one that shares this end, has made it non-blocking.
      var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&place, 1, -1) >= 0 || errno == EINTR else { return .current }
    } else if errno != EINTR {
      return .current
    }
  }
  return nil
}
