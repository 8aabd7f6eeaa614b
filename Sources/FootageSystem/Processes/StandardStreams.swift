#if !canImport(Darwin)
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
    if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return .current }
  }
  return nil
}
#endif
