import Foundation

/// A program with its arguments, to be run to its end.
package struct Command {
  /// A path, or a name to be found on the search path.
  package var program: String
  /// Without the program itself.
  package var arguments: [String]
  /// What is set beside `PATH` and `HOME`, which are ours.
  package var environment: [String: String] = [:]
  /// What the program reads; nothing when nil.
  package var input: String?

  /// A command with its arguments one by one.
  package init(_ program: String, _ arguments: String..., environment: [String: String] = [:], input: String? = nil) {
    self.init(program, arguments: arguments, environment: environment, input: input)
  }

  /// A command with its arguments in an array.
  package init(_ program: String, arguments: [String], environment: [String: String] = [:], input: String? = nil) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
  }

  /// What became of it.
  package struct Outcome {
    /// The exit status, or 128 and the signal's number.
    package var status: Int32
    /// Of standard output.
    package var output: String
    /// Of standard error.
    package var errors: String

    /// Whether it exited with 0.
    package var succeeded: Bool { status == 0 }
    /// Standard output without its line ends and empty lines.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs it and waits for its end.
  package func run() throws -> Outcome {
    let program = try RunningProgram(self)
    let status = program.waitForEnd()
    return Outcome(status: status, output: program.output, errors: program.errors)
  }

  /// The same on a thread that may wait: the few of the tasks must not.
  package func finished() async throws -> Outcome { try await onThread { try run() } }

  /// What it wrote to standard output.
  ///
  /// - Throws: `CommandFailure` with what it wrote to standard error, where it fails.
  package func successfulOutput() throws -> String {
    let outcome = try run()
    guard outcome.succeeded else {
      throw CommandFailure(description: "\(program) \(arguments.joined(separator: " ")): \(outcome.errors)")
    }
    return outcome.output
  }

  /// Starts it.
  package func start() throws -> RunningProgram { try RunningProgram(self) }

  /// What its process has: no environment but ours.
  var wholeEnvironment: [String: String] {
    let inherited = ProcessInfo.processInfo.environment
    var ours = ["PATH": inherited["PATH"] ?? "/usr/bin:/bin", "HOME": inherited["HOME"] ?? "/"]
    // A program that was built with a sanitizer needs to know what that must not complain about.
    for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] { ours[name] = inherited[name] }
    return ours.merging(environment) { _, given in given }
  }
}

/// A program that failed, and its words.
package struct CommandFailure: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// A new, empty file, open for writing.
func writing(to path: String) throws -> FileHandle {
  try Data().write(to: URL(fileURLWithPath: path))
  guard let handle = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
  return handle
}

/// A file's content as text; what is not UTF-8 is shown as U+FFFD.
package func text(of path: String) throws -> String {
  String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}
