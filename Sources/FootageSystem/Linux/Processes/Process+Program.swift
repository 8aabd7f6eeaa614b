internal import CFootageLinux
internal import Glibc

/// What a program asks that has its process to itself.
extension Process {
  /// Cores that this process may run on, at least 1.
  package static var coreCount: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

  /// The machine's name; nil where it has none.
  package static var hostName: String? {
    var name = [UInt8](repeating: 0, count: 256)
    // Safe because the last byte is never written, so that the name always ends.
    let status = unsafe name.withUnsafeMutableBytes { bytes in
      guard let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return CInt(-1) }
      return unsafe gethostname(base, 255)
    }
    let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    return status == 0 && !text.isEmpty ? text : nil
  }

  /// The names of all variables of the environment that begin with this, in order.
  package static func variableNames(beginningWith prefix: String) -> [String] {
    var names: Set<String> = []
    var next = unsafe clinux_environment()
    // Safe because the list ends with a null, and nothing in this process changes the environment.
    while let place = unsafe next, let entry = unsafe place.pointee {
      let text = unsafe String(cString: entry)
      let name = text.prefix { $0 != "=" }
      if name.utf8.starts(with: prefix.utf8) { names.insert(String(name)) }
      unsafe next = place.advanced(by: 1)
    }
    return names.sorted()
  }

  /// Nanoseconds that all threads of this process have worked.
  package static var workedNanoseconds: Int64 { Clock.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// The day this program was built on, as seconds since 1970; the compiler's `__DATE__`, which `SOURCE_DATE_EPOCH`
  /// sets.
  package static var buildSeconds: Int64 { clinux_build_seconds() }

  /// Ends the process with this status.
  package static func exit(_ status: CInt) -> Never { Glibc.exit(status) }

  /// Whether the system's log reads standard error, and notes the time of each line itself (man 5 systemd.exec,
  /// `JOURNAL_STREAM`).
  package static var isReadBySystemLog: Bool {
    guard let stream = variable("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard unsafe fstat(2, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// Whether a person reads standard error.
  package static var isErrorTerminal: Bool { isatty(2) == 1 }

  /// How many columns the terminal behind standard error has; nil where there is none, or it does not say.
  package static var errorTerminalColumns: Int? { terminalSize(2).columns }

  /// The same of the one behind standard output.
  package static var outputTerminalColumns: Int? { terminalSize(1).columns }

  /// How many lines the terminal behind standard output has; nil where there is none, or it does not say.
  package static var outputTerminalLines: Int? { terminalSize(1).lines }

  private static func terminalSize(_ descriptor: CInt) -> (columns: Int?, lines: Int?) {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (nil, nil) }
    return (size.ws_col > 0 ? Int(size.ws_col) : nil, size.ws_row > 0 ? Int(size.ws_row) : nil)
  }

  /// Whether a person types on standard input.
  package static var isInputTerminal: Bool { isatty(0) == 1 }

  /// Whether a person reads standard output.
  package static var isOutputTerminal: Bool { isatty(1) == 1 }
}

extension Process {
  /// Returns memory to the system that is free and was kept for later; after a crowd has left, that is most of it.
  /// Takes milliseconds in which others wait for memory: not for every day.
  package static func giveBackMemory() { clinux_give_back_memory() }
}
