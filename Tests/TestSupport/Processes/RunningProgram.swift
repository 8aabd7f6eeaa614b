import Foundation
import Testing

/// A program that was started, with its output so far. It ends with the test at the latest.
package final class RunningProgram: Sendable {
  private let process: ChildProcess
  private let words: String
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - input: the pipe that it reads; nil for the command's own input.
  ///   - output: the pipe for standard output; nil for a file, which has room for any amount.
  package init(_ command: Command, input: Pipe? = nil, output: Pipe? = nil) throws {
    words = "\(command.program) \(command.arguments.joined(separator: " "))"
    folder = try TemporaryFolder()
    try Data((command.input ?? "").utf8).write(to: URL(fileURLWithPath: folder.path("input")))
    let streams = [
      try input?.fileHandleForReading ?? FileHandle(forReadingFrom: URL(fileURLWithPath: folder.path("input"))),
      try output?.fileHandleForWriting ?? writing(to: folder.path("output")), try writing(to: folder.path("errors")),
    ]
    process = try ChildProcess(
      "/usr/bin/env", [command.program] + command.arguments, environment: command.wholeEnvironment,
      streams: streams.map(\.fileDescriptor))
    // Otherwise a reader at the other end of a pipe would never reach its end.
    for stream in streams { try stream.close() }
  }

  deinit { kill() }

  /// The text that it has written to standard output so far.
  package var output: String { (try? text(of: folder.path("output"))) ?? "" }
  /// The text that it has written to standard error so far.
  package var errors: String { (try? text(of: folder.path("errors"))) ?? "" }

  package var isRunning: Bool { process.isRunning }
  package var processIdentifier: Int32 { process.processIdentifier }

  package func signal(_ number: Int32) { process.signal(number) }

  /// Waits for certain text on standard output.
  ///
  /// - Parameter parse: returns nil while the text is incomplete.
  package func waitForOutput<Found>(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ parse: (String) throws -> Found?
  ) throws -> Found {
    try eventually("\(what); it said \(errors)", sourceLocation: sourceLocation) { () -> Found? in
      // This is checked before the output, because a program writes its last words before it ends.
      let isRunning = isRunning
      if let found = try parse(output) { return found }
      try #require(isRunning, "\(words) ended: \(errors)", sourceLocation: sourceLocation)
      return nil
    }
  }

  /// Waits until the program has ended, which it must do within the limit.
  ///
  /// - Returns: the exit status, or 128 and the signal's number.
  package func exitStatus(
    within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int32 {
    try #require(
      process.exitStatus(until: .now() + .seconds(Int(limit.components.seconds))),
      "\(words) does not end; it said \(errors)", sourceLocation: sourceLocation)
  }

  /// Waits until the program has ended, without a limit.
  package func waitForEnd() -> Int32 { process.exitStatus() }

  /// Ends the program at once if it has not ended.
  package func kill() {
    signal(SIGKILL)
    _ = process.exitStatus()
  }

  /// Asks the program to stop, kills it if it does not, and waits for its end.
  package func stop(within limit: Duration = .seconds(15)) {
    signal(SIGTERM)
    if process.exitStatus(until: .now() + .seconds(Int(limit.components.seconds))) == nil { kill() }
  }
}
