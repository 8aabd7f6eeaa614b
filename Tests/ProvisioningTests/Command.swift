/// Runs a program to its end and keeps what it said.
import Foundation

struct Command {
  var program: String
  var arguments: [String]
  var environment: [String: String] = [:]
  /// What the program reads; nothing when nil.
  var input: String?

  init(_ program: String, _ arguments: String..., environment: [String: String] = [:], input: String? = nil) {
    self.init(program, arguments: arguments, environment: environment, input: input)
  }

  init(_ program: String, arguments: [String], environment: [String: String] = [:], input: String? = nil) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
  }

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String

    var succeeded: Bool { status == 0 }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Output goes to files, so that no amount of it can stop the program.
  func run() throws -> Outcome {
    let folder = try TemporaryFolder()
    let output = folder.path("output")
    let errors = folder.path("errors")
    let process = try prepared()
    process.standardOutput = try writing(to: output)
    process.standardError = try writing(to: errors)
    process.standardInput = FileHandle.nullDevice
    if let input {
      try Data(input.utf8).write(to: URL(fileURLWithPath: folder.path("input")))
      process.standardInput = FileHandle(forReadingAtPath: folder.path("input"))
    }
    try process.run()
    process.waitUntilExit()
    let ended = process.terminationReason == .exit
    return Outcome(
      status: ended ? process.terminationStatus : 128 + process.terminationStatus,
      output: try text(of: output), errors: try text(of: errors))
  }

  /// The process before its start, found on the search path and with no environment but ours.
  func prepared() throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let inherited = ProcessInfo.processInfo.environment
    process.environment = ["PATH": inherited["PATH"] ?? "/usr/bin:/bin", "HOME": inherited["HOME"] ?? "/"]
      .merging(environment) { _, ours in ours }
    return process
  }

  private func writing(to path: String) throws -> FileHandle {
    try Data().write(to: URL(fileURLWithPath: path))
    guard let handle = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
    return handle
  }
}

func text(of path: String) throws -> String {
  String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}
