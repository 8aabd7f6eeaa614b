import Foundation
import Testing

/// A program that was started, what it has said so far, and its end: the test's at the latest.
package final class RunningProgram: @unchecked Sendable {
  private let process: Process
  private let words: String
  private let folder: TemporaryFolder
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - input: what it reads; nil for the command's own.
  ///   - output: where standard output goes; nil for a file, in which any amount of it has room.
  package init(_ command: Command, input: Pipe? = nil, output: Pipe? = nil) throws {
    words = "\(command.program) \(command.arguments.joined(separator: " "))"
    folder = try TemporaryFolder()
    process = try command.prepared()
    process.standardInput = FileHandle.nullDevice
    if let text = command.input {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("input")))
      process.standardInput = FileHandle(forReadingAtPath: folder.path("input"))
    }
    if let input { process.standardInput = input }
    process.standardOutput = try writing(to: folder.path("output"))
    if let output { process.standardOutput = output }
    process.standardError = try writing(to: folder.path("errors"))
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.runWithSignals()
  }

  deinit { kill() }

  /// What it has written to standard output so far.
  package var output: String { (try? text(of: folder.path("output"))) ?? "" }
  /// What it has written to standard error so far.
  package var errors: String { (try? text(of: folder.path("errors"))) ?? "" }

  package var isRunning: Bool { process.isRunning }
  package var processIdentifier: Int32 { process.processIdentifier }

  package func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

  /// Waits for something in standard output.
  ///
  /// - Parameter parse: nil where it is not all there yet.
  package func waitForOutput<Found>(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ parse: (String) throws -> Found?
  ) throws -> Found {
    try eventually("\(what); it said \(errors)", sourceLocation: sourceLocation) { () -> Found? in
      // Looked at first: what it says last it says before it ends.
      let isRunning = isRunning
      if let found = try parse(output) { return found }
      try #require(isRunning, "\(words) ended: \(errors)", sourceLocation: sourceLocation)
      return nil
    }
  }

  /// Waits for its end, which has to come.
  ///
  /// - Returns: the exit status, or 128 and the signal's number.
  package func exitStatus(
    within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int32 {
    let isOver = ended.wait(timeout: .now() + .seconds(Int(limit.components.seconds))) == .success
    try #require(isOver, "\(words) does not end; it said \(errors)", sourceLocation: sourceLocation)
    // For whoever asks next.
    ended.signal()
    return process.exitStatus()
  }

  /// The same without a limit.
  package func waitForEnd() -> Int32 {
    ended.wait()
    ended.signal()
    return process.exitStatus()
  }

  /// Ends it at once, if it has not ended.
  package func kill() {
    guard process.isRunning else { return }
    signal(SIGKILL)
    process.waitUntilExit()
  }

  /// Asks it to stop, makes it where it does not, and waits for its end.
  package func stop(within limit: Duration = .seconds(15)) {
    guard process.isRunning else { return }
    signal(SIGTERM)
    if ended.wait(timeout: .now() + .seconds(Int(limit.components.seconds))) == .success { ended.signal() }
    kill()
  }
}
