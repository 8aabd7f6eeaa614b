internal import Glibc

/// What is typed at a terminal and must not be seen on it.
package enum HiddenInput {
  /// In bytes.
  private static let longestLine = 4_096
  /// `_POSIX_VDISABLE` (man 3 termios).
  private static let disabledKey: UInt8 = 0
  /// Between two looks at whether to go on, in milliseconds.
  private static let pause: CInt = 100

  /// Waits for a line at the terminal behind standard input, without showing what is typed. The terminal is left as it was,
  /// whatever happens. Calls `tcsetattr`, `poll` and `read`; blocks.
  ///
  /// - Parameter isOver: asked again and again; true where nobody waits for the line any more.
  /// - Returns: the line without its end; nil where nothing comes any more, it is over, or no terminal is there.
  package static func readLine(until isOver: () -> Bool) -> [UInt8]? {
    var former = termios()
    // Safe because the structure is this call's own.
    guard unsafe tcgetattr(0, &former) == 0 else { return nil }
    var hidden = former
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // What would end or stop this process before the terminal is as it was. Safe because the indices are the system's.
    unsafe withUnsafeMutableBytes(of: &hidden.c_cc) { keys in
      for key in [VQUIT, VSUSP] { unsafe keys[Int(key)] = disabledKey }
    }
    // What was typed before the question is no answer to it.
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
