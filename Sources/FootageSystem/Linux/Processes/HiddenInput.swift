internal import Glibc

/// Input that is typed at a terminal and must not be visible on it.
package enum HiddenInput {
  /// The longest line that is accepted, in bytes.
  private static let longestLine = 4_096
  /// The character that disables a key, `_POSIX_VDISABLE` (man 3 termios).
  private static let disabledKey: UInt8 = 0
  /// The time between two checks for the end of the wait, in milliseconds.
  private static let pause: CInt = 100

  /// Waits for a line from the terminal at standard input, without showing what is typed. The terminal is restored
  /// whatever happens. Calls `tcsetattr`, `poll` and `read`; blocks.
  ///
  /// - Parameter isOver: called every `pause` milliseconds; returns true once the line is no longer needed.
  /// - Returns: the line without its end; nil if the input ends, the wait is over, the line is too long, or there is no
  ///   terminal.
  package static func readLine(until isOver: () -> Bool) -> [UInt8]? {
    var former = termios()
    // Safe because the structure belongs to this call.
    guard unsafe tcgetattr(0, &former) == 0 else { return nil }
    var hidden = former
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // These keys would end or stop this process before the terminal is restored. Safe because the indices are the
    // system's.
    unsafe withUnsafeMutableBytes(of: &hidden.c_cc) { keys in
      for key in [VQUIT, VSUSP] { unsafe keys[Int(key)] = disabledKey }
    }
    // Discards what was typed before the question, since it does not answer it.
    guard unsafe tcsetattr(0, TCSAFLUSH, &hidden) == 0 else { return nil }
    defer { _ = unsafe tcsetattr(0, TCSAFLUSH, &former) }
    var line: [UInt8] = []
    while line.count < longestLine, !isOver() {
      var place = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&place, 1, pause)
      guard ready > 0 else {
        if ready == 0 || errno == EINTR { continue }
        return nil
      }
      var byte: UInt8 = 0
      let count = unsafe read(0, &byte, 1)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
    return nil
  }
}
