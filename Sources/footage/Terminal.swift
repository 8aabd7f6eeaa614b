/// Results go to standard output, words for people to standard error.

internal import Networking

enum Terminal {
  static func output(_ text: String) { StandardOutput.write(Array(text.utf8)) }

  static func error(_ text: String) { StandardError.write(Array(text.utf8)) }

  /// `footage: what went wrong`, and the exit status that goes with it.
  static func failed(_ problem: some CustomStringConvertible) -> ExitCode {
    error("footage: \(problem)\n")
    return .failed
  }
}
