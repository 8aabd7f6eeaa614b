internal import FootageBase
internal import FootageServing
internal import Synchronization
internal import FootageSystem

/// Results go to standard output, words for people to standard error.
enum Terminal {
  /// The line that is drawn again and again, below everything that was said.
  private static let status = Mutex("")
  /// Back to the line's beginning, and everything behind it cleared (ECMA-48 §8.3.41).
  private static let eraseLine = "\r\u{1B}[K"

  /// Why results could not be written, the first time that this happened.
  private static let outputFailure = Mutex<Errno?>(nil)

  /// Writes results. What cannot be written is told at the end: see `exitCode(after:)`.
  static func output(_ text: String) {
    // Whoever closes a pipe has seen enough.
    guard let failure = StandardOutput.write(Array(text.utf8)), failure != .brokenPipe else { return }
    outputFailure.withLock { $0 = $0 ?? failure }
  }

  /// Writes bytes that are a result themselves.
  ///
  /// - Returns: false where nobody takes any more of them.
  static func output(_ bytes: [UInt8]) -> Bool {
    guard let failure = StandardOutput.write(bytes) else { return true }
    if failure != .brokenPipe { outputFailure.withLock { $0 = $0 ?? failure } }
    return false
  }

  /// The exit status of this process. A command whose results could not be written has not done what it was asked.
  /// Nothing is written behind this any more.
  ///
  /// - Parameter exitCode: what the command itself came to.
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

  /// `footage: what there is to know`. A robot or a file's name may have a say in it, so that nothing in it moves the
  /// cursor.
  static func say(_ words: some CustomStringConvertible) { say(words, mark: "") }

  private static func say(_ words: some CustomStringConvertible, mark: String) {
    let lines = words.description.split(separator: "\n", omittingEmptySubsequences: false)
    error("\(mark)footage: \(lines.map { printable(String($0)) }.joined(separator: "\n"))\n")
  }

  /// Says what may be wrong, and keeps nothing from going on.
  static func warn(_ words: some CustomStringConvertible) {
    say("warning: \(words)", mark: Process.isReadBySystemLog ? "<4>" : "")
  }

  /// What makes a line an error to the system's log (man 3 sd-daemon), where that is the reader.
  static var errorMark: String { Process.isReadBySystemLog ? "<3>" : "" }

  /// Says what went wrong, and gives the exit status that goes with it.
  static func failed(_ problem: some CustomStringConvertible) -> ExitCode {
    say(problem, mark: errorMark)
    return .failed
  }

  /// A name from a file system may hold anything, and a terminal would obey it.
  static func printable(_ text: String) -> String { TerminalControl.replaced(in: text) }

  /// How wide what goes to standard output may be; nil where no terminal shows it.
  static var outputColumns: Int? {
    guard Process.isOutputTerminal else { return nil }
    let given = Process.variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return given ?? Process.outputTerminalColumns ?? 80
  }

  /// Whether a person looks at a terminal that can draw a line again.
  static var drawsStatus: Bool {
    Process.isErrorTerminal && Process.variable("TERM").map { $0 != "dumb" && !$0.isEmpty } ?? false
  }

  /// Draws the line anew; it has to fit into the terminal.
  static func show(status text: String) {
    status.withLock { status in
      status = text
      StandardError.write(Array((eraseLine + text).utf8))
    }
  }

  /// Leaves the line as it is, or takes it away.
  static func endStatus(keeping isKept: Bool) {
    status.withLock { status in
      guard !status.isEmpty else { return }
      status = ""
      StandardError.write(Array((isKept ? "\n" : eraseLine).utf8))
    }
  }
}
