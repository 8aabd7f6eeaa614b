/// A program that a test starts and ends, its output in a file that can be read meanwhile.

import Foundation
import Glibc

/// What kept a test from going on.
struct TestFailure: Error, CustomStringConvertible {
  let description: String
}

/// Asks again until there is an answer.
///
/// - Throws: ``TestFailure`` with `what` when there is none in time; what `probe` throws.
func eventually<Answer>(
  _ what: String, within limit: Duration = .seconds(30), _ probe: () async throws -> Answer?
) async throws -> Answer {
  let deadline = ContinuousClock.now + limit
  while true {
    if let answer = try await probe() { return answer }
    guard ContinuousClock.now < deadline else { throw TestFailure(description: "not within \(limit): \(what)") }
    try await Task.sleep(for: .milliseconds(50))
  }
}

final class ChildProcess {
  private let process = Process()
  private let outputFile: URL
  private let errorFile: URL

  /// Starts a program found at a path, or by its name in PATH.
  init(_ program: String, _ arguments: [String], environment: [String: String] = [:], logsIn folder: URL) throws {
    let name = "\(URL(filePath: program).lastPathComponent)-\(UUID().uuidString)"
    outputFile = folder.appending(path: name + ".out")
    errorFile = folder.appending(path: name + ".err")
    for file in [outputFile, errorFile] { try Data().write(to: file) }
    process.executableURL = URL(filePath: program.contains("/") ? program : "/usr/bin/env")
    process.arguments = program.contains("/") ? arguments : [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: outputFile)
    process.standardError = try FileHandle(forWritingTo: errorFile)
    try Self.withSignalsUnblocked { try process.run() }
  }

  /// A child inherits the signal mask of the thread that starts it, and the threads that run tests block SIGTERM.
  private static func withSignalsUnblocked(_ start: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try start()
  }

  /// What the program wrote to standard output so far.
  var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }

  /// What the program wrote to standard error so far.
  var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

  /// Waits for something in standard output.
  ///
  /// - Throws: ``TestFailure`` when the program ends, or time passes, without it.
  func waitForOutput<Answer>(_ what: String, _ parse: (String) -> Answer?) async throws -> Answer {
    try await eventually(what) {
      if let answer = parse(output) { return answer }
      if !process.isRunning {
        throw TestFailure(
          description: "\(process.arguments ?? []) ended with \(process.terminationStatus) before \(what): \(errors)")
      }
      return nil
    }
  }

  /// Waits for the end of a program that ends by itself.
  ///
  /// - Throws: ``TestFailure`` with its standard error when it fails or takes more than a minute.
  func finish() async throws {
    try await eventually("end of \(process.arguments ?? [])", within: .seconds(60)) { process.isRunning ? nil : () }
    guard process.terminationStatus == 0 else {
      throw TestFailure(
        description: "\(process.arguments ?? []) failed with \(process.terminationStatus): \(errors)")
    }
  }

  /// Asks the program to stop, makes it stop when it does not, and waits for its end.
  func end() async {
    guard process.isRunning else { return }
    process.terminate()
    let stopped: Void? = try? await eventually("end", within: .seconds(15)) { process.isRunning ? nil : () }
    if stopped == nil { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}
