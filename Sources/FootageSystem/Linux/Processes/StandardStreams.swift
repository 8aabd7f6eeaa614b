internal import Glibc

/// The three streams that a process is started with.
package enum StandardStreams {
  /// Takes the numbers of streams that were closed before this process began, so that no file gets one of them: what is
  /// meant for standard output would be written into it. To be called before anything is opened. Calls `fcntl` and
  /// `open`.
  package static func reserve() {
    for number in 0...2 as ClosedRange<CInt> where fcntl(number, F_GETFD) < 0 && errno == EBADF {
      // The wrong way round, so that using it fails as before.
      _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// The stream for what people are told.
package enum StandardError {
  /// Blocks while nobody reads; gives up where nobody ever will.
  package static func write(_ bytes: [UInt8]) { writeAll(bytes, to: 2) }
}

/// The stream for results.
package enum StandardOutput {
  /// Blocks while nobody reads; gives up where nobody ever will. Nothing is buffered.
  ///
  /// - Returns: why not all of it was written; nil where it was.
  @discardableResult
  package static func write(_ bytes: [UInt8]) -> Errno? { writeAll(bytes, to: 1) }

  /// Ends the results: some file systems say only now that something of them was lost. Calls `close`.
  ///
  /// - Returns: why not all of them are there; nil where they are.
  package static func close() -> Errno? { Glibc.close(1) == 0 || errno == EINTR ? nil : .current }
}

/// The stream for what is typed.
package enum StandardInput {
  /// Waits for a line, without its end; nil where nothing comes any more, or it is longer than 4 KiB.
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
    // Safe because the slice's storage is lent for the call, and its length goes along.
    let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if count == 0 {
      return .ioError
    } else if errno == EAGAIN {
      // Whoever has the other end, or shares this one, does not want to wait.
      var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&place, 1, -1) >= 0 || errno == EINTR else { return .current }
    } else if errno != EINTR {
      return .current
    }
  }
  return nil
}
