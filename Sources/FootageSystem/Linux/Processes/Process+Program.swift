internal import CFootageLinux
internal import Glibc

/// Queries and actions of a program that has its process to itself.
extension Process {
  /// The number of cores that are online, at least 1.
  package static var coreCount: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

  /// The machine's name; nil if it has none.
  package static var hostName: String? {
    var name = [UInt8](repeating: 0, count: 256)
    // Safe because the last byte is never written, so that the name always ends with a zero.
    let status = unsafe name.withUnsafeMutableBytes { bytes in
      guard let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return CInt(-1) }
      return unsafe gethostname(base, 255)
    }
    let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    return status == 0 && !text.isEmpty ? text : nil
  }

  /// Returns the names of all environment variables that begin with this prefix, in order.
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

  /// The processor time used by all threads of this process, in nanoseconds.
  package static var workedNanoseconds: Int64 { Clock.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// The day on which this program was built, in seconds since 1970. It comes from the compiler's `__DATE__`, which
  /// `SOURCE_DATE_EPOCH` sets.
  package static var buildSeconds: Int64 { clinux_build_seconds() }

  /// Ends the process with this status.
  package static func exit(_ status: CInt) -> Never { Glibc.exit(status) }

  /// True if the system's log reads standard error, and records the time of each line itself (man 5 systemd.exec,
  /// `JOURNAL_STREAM`).
  package static var isReadBySystemLog: Bool {
    guard let stream = variable("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard unsafe fstat(2, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// True if standard error is a terminal.
  package static var isErrorTerminal: Bool { isatty(2) == 1 }

  /// The number of columns of the terminal at standard error; nil if there is no terminal, or it does not report them.
  package static var errorTerminalColumns: Int? { terminalSize(2).columns }

  /// The number of columns of the terminal at standard output; nil if there is no terminal, or it does not report them.
  package static var outputTerminalColumns: Int? { terminalSize(1).columns }

  /// The number of lines of the terminal at standard output; nil if there is no terminal, or it does not report them.
  package static var outputTerminalLines: Int? { terminalSize(1).lines }

  private static func terminalSize(_ descriptor: CInt) -> (columns: Int?, lines: Int?) {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (nil, nil) }
    return (size.ws_col > 0 ? Int(size.ws_col) : nil, size.ws_row > 0 ? Int(size.ws_row) : nil)
  }

  /// True if standard input is a terminal.
  package static var isInputTerminal: Bool { isatty(0) == 1 }

  /// True if standard output is a terminal.
  package static var isOutputTerminal: Bool { isatty(1) == 1 }
}

extension Process {
  /// Returns to the system the free memory that the allocator keeps for later use. After many clients have left, that
  /// is most of this process's memory. It takes milliseconds, during which other threads wait for memory, so it should
  /// be called rarely.
  package static func giveBackMemory() { clinux_give_back_memory() }
}
