import Foundation

/// A program with its arguments, which is run to its end.
package struct Command {
  /// The path of the program, or a name that is looked up on the search path.
  package var program: String
  /// The arguments, without the program itself.
  package var arguments: [String]
  /// The variables that are set in addition to this process's own `PATH` and `HOME`.
  package var environment: [String: String] = [:]
  /// The text that the program reads from standard input; nil for none.
  package var input: String?

  /// Creates a command with its arguments one by one.
  package init(_ program: String, _ arguments: String..., environment: [String: String] = [:], input: String? = nil) {
    self.init(program, arguments: arguments, environment: environment, input: input)
  }

  /// Creates a command with its arguments in an array.
  package init(_ program: String, arguments: [String], environment: [String: String] = [:], input: String? = nil) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
  }

  /// The result of a run.
  package struct Outcome {
    /// The exit status, or 128 and the signal's number.
    package var status: Int32
    /// The text on standard output.
    package var output: String
    /// The text on standard error.
    package var errors: String

    /// True if the exit status is 0.
    package var succeeded: Bool { status == 0 }
    /// The lines of standard output, without line ends and empty lines.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs the program and waits until it has ended.
  package func run() throws -> Outcome {
    let program = try RunningProgram(self)
    let status = program.waitForEnd()
    return Outcome(status: status, output: program.output, errors: program.errors)
  }

  /// Runs the program on a thread that may block. The few threads that run tasks must not block.
  package func finished() async throws -> Outcome { try await onThread { try run() } }

  /// Returns the text that the program wrote to standard output.
  ///
  /// - Throws: `CommandFailure` with the text on standard error if the program fails.
  package func successfulOutput() throws -> String {
    let outcome = try run()
    guard outcome.succeeded else {
      throw CommandFailure(description: "\(program) \(arguments.joined(separator: " ")): \(outcome.errors)")
    }
    return outcome.output
  }

  /// Starts the program.
  package func start() throws -> RunningProgram { try RunningProgram(self) }

  /// The environment of the process: the given variables and a few of this process's own.
  var wholeEnvironment: [String: String] {
    let inherited = ProcessInfo.processInfo.environment
    var ours = ["PATH": inherited["PATH"] ?? "/usr/bin:/bin", "HOME": inherited["HOME"] ?? "/"]
    // A program that was built with a sanitizer needs the list of what the sanitizer must not report.
    for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] { ours[name] = inherited[name] }
    return ours.merging(environment) { _, given in given }
  }
}

/// A failure of a program, with its error text.
package struct CommandFailure: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// Creates an empty file and opens it for writing.
func writing(to path: String) throws -> FileHandle {
  try Data().write(to: URL(fileURLWithPath: path))
  guard let handle = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
  return handle
}

/// Returns a file's content as text. Bytes that are not UTF-8 appear as U+FFFD.
package func text(of path: String) throws -> String {
  String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}
