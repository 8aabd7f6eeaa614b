internal import FootageBase
internal import FootageServing
internal import Synchronization
internal import FootageSystem

/// The terminal or other output of a command. Results go to standard output, messages for people to standard error.
enum Terminal {
  /// The status line that is redrawn below all other output.
  private static let status = Mutex("")
  /// The control sequence that returns to the beginning of the line and clears it (ECMA-48 §8.3.41).
  private static let eraseLine = "\r\u{1B}[K"

  /// The first reason why results could not be written; nil if there is none.
  private static let outputFailure = Mutex<Errno?>(nil)

  /// Writes results. A failure to write is reported at the end: see `exitCode(after:)`.
  static func output(_ text: String) {
    // A reader that closes a pipe has seen enough.
    guard let failure = StandardOutput.write(Array(text.utf8)), failure != .brokenPipe else { return }
    outputFailure.withLock { $0 = $0 ?? failure }
  }

  /// Writes bytes to standard output, as a result.
  ///
  /// - Returns: false if no more of them can be written.
  static func output(_ bytes: [UInt8]) -> Bool {
    guard let failure = StandardOutput.write(bytes) else { return true }
    if failure != .brokenPipe { outputFailure.withLock { $0 = $0 ?? failure } }
    return false
  }

  /// Returns the exit status of this process. A command whose results could not be written has failed. Nothing may be
  /// written to standard output after this call.
  ///
  /// - Parameter exitCode: the exit status of the command itself.
  static func exitCode(after exitCode: ExitCode) -> ExitCode {
    let ending = StandardOutput.close()
    guard let failure = outputFailure.withLock({ $0 }) ?? ending else { return exitCode }
    let told = failed("cannot write to standard output: \(failure)")
    return exitCode == .done ? told : exitCode
  }

  static func error(_ text: String) {
    status.withLock { status in
      let said = status.isEmpty ? text : eraseLine + text + status
      StandardError.write(Array(said.utf8))
    }
  }

  /// Prints a message like `footage: text`. It may contain text from a robot or the name of a file, so control
  /// characters in it are replaced.
  static func say(_ words: some CustomStringConvertible) { say(words, mark: "") }

  private static func say(_ words: some CustomStringConvertible, mark: String) {
    let lines = words.description.split(separator: "\n", omittingEmptySubsequences: false)
    error("\(mark)footage: \(lines.map { printable(String($0)) }.joined(separator: "\n"))\n")
  }

  /// Prints a warning about something that may be wrong. The command continues.
  static func warn(_ words: some CustomStringConvertible) {
    say("warning: \(words)", mark: Process.isReadBySystemLog ? "<4>" : "")
  }

  /// The prefix that marks a line as an error for the system's log (man 3 sd-daemon), if the log reads standard error.
  static var errorMark: String { Process.isReadBySystemLog ? "<3>" : "" }

  /// Prints an error, and returns the exit status for it.
  static func failed(_ problem: some CustomStringConvertible) -> ExitCode {
    say(problem, mark: errorMark)
    return .failed
  }

  /// Returns the text with its control characters replaced. A name from a file system may contain them, and a terminal
  /// would obey them.
  static func printable(_ text: String) -> String { TerminalControl.replaced(in: text) }

  /// The width of standard output in columns; nil if it is not a terminal.
  static var outputColumns: Int? {
    guard Process.isOutputTerminal else { return nil }
    let given = Process.variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return given ?? Process.outputTerminalColumns ?? 80
  }

  /// True if messages go to a terminal that can redraw a line.
  static var drawsStatus: Bool {
    Process.isErrorTerminal && Process.variable("TERM").map { $0 != "dumb" && !$0.isEmpty } ?? false
  }

  /// Redraws the status line. The text must fit into the terminal.
  static func show(status text: String) {
    status.withLock { status in
      status = text
      StandardError.write(Array((eraseLine + text).utf8))
    }
  }

  /// Ends the status line, which stays or is erased.
  static func endStatus(keeping isKept: Bool) {
    status.withLock { status in
      guard !status.isEmpty else { return }
      status = ""
      StandardError.write(Array((isKept ? "\n" : eraseLine).utf8))
    }
  }
}
