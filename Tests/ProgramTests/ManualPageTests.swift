import LinuxTestSupport
import Testing

@testable import FootageCommands

@Suite struct ManualPageTests {
  private static let usages = Footage.commands.map { $0.usage }

  @Test(arguments: [nil] + Footage.commands.map { $0.usage.name })
  func `each page is one that man can read without a warning`(name: String?) throws {
    let usage = Self.usages.first { $0.name == name }
    let page = usage.map { ManualPage.of($0) } ?? ManualPage.ofProgram(Self.usages)
    let read = try Command("groff", arguments: ["-man", "-Tutf8", "-ww", "-b", "-z"], input: page).run()
    #expect(read.succeeded && read.errors == "", "\(read.errors)")
    let shown = try Command("groff", arguments: ["-man", "-Tascii", "-P", "-cbou"], input: page).run().output
    guard let usage else {
      for usage in Self.usages { #expect(shown.contains("footage-\(usage.name)(1)")) }
      return
    }
    for option in usage.options { #expect(shown.contains("--\(option.name)"), "\(option.name)") }
    #expect(shown.contains("EXIT STATUS"))
  }

  @Test(arguments: [
    ("footage ", 1, "serve"), ("footage se", 1, "serve"), ("footage cache k", 2, "keep"),
    ("footage serve --max-c", 2, "--max-connections"), ("footage fetch -", 2, "-o"),
    ("footage serve --certs /et", 3, "/etc"), ("footage help ins", 2, "inspect"),
  ])
  func `bash finishes commands, options, words and folders`(line: String, index: Int, expected: String) throws {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }.joined(separator: " ")
    let script = BashCompletion.script(Self.usages)
    let asked = try Command(
      "bash",
      arguments: [
        "-c",
        """
        compopt() { :; }
        \(script)
        COMP_WORDS=(\(words)) COMP_CWORD=\(index); _footage; printf '%s\\n' "${COMPREPLY[@]}"
        """,
      ]
    ).run()
    #expect(asked.errors == "")
    #expect(asked.output.split(separator: "\n").contains { $0 == expected }, "\(asked.output)")
  }
}
