/// A program on a terminal of its own, which `script` makes, with typed answers to its prompts.
import Foundation
import LinuxTestSupport
import Testing

final class Terminal {
  private let process: RunningProgram
  private let input = Pipe()
  private let output = Pipe()
  private var shown = ""
  private var answered = ""

  init(_ command: Command) throws {
    let words = ([command.program] + command.arguments).map { "'\($0)'" }.joined(separator: " ")
    process = try RunningProgram(
      Command("script", "-qec", words, "/dev/null", environment: command.environment), input: input, output: output)
  }

  /// Types a line once the prompt has been shown since the last answer.
  func answer(_ prompt: String, with line: String) throws {
    while !shown.dropFirst(answered.count).contains(prompt) {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "ended before asking \(prompt): \(shown)")
      shown += String(decoding: data, as: UTF8.self)
    }
    answered = shown
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  func finish() -> (status: Int32, shown: String) {
    shown += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (process.waitForEnd(), shown)
  }
}
