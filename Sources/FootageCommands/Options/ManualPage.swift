internal import FootageBase

/// The manual page for a command or for the program, made from the same descriptions that the help and the parser use.
/// It is source text for `man` (man 7 man).
enum ManualPage {
  /// Returns the page for `footage` itself.
  static func ofProgram(_ commands: [Usage]) -> String {
    var page = Source("footage", "shows what a robot saw")
    page.section("SYNOPSIS")
    page.line(".B footage")
    page.line(".I COMMAND\n\(Source.options)")
    page.section("DESCRIPTION")
    page.text(
      """
      A robot records H.264 in MP4 files. footage serve makes each of them playable over HTTPS a moment after the \
      recorder closes it, from any position. The other commands find, fetch, play and keep recordings on a viewer's \
      machine, and manage them on the robot.
      """)
    page.section("COMMANDS")
    for command in commands {
      page.line(".TP\n.BR footage\\-\(Source.escaped(command.name)) (1)")
      page.text(command.summary)
    }
    page.ending(commands.map { "footage-\($0.name)" })
    return page.text
  }

  static func of(_ usage: Usage) -> String {
    var page = Source("footage-\(usage.name)", usage.summary)
    page.section("SYNOPSIS")
    page.line(".B footage \(Source.escaped(usage.name))")
    page.line(Source.options)
    if !usage.operands.isEmpty { page.line(".I \(Source.escaped(usage.operands))") }
    page.section("DESCRIPTION")
    page.text(usage.summary)
    for paragraph in Source.paragraphs(usage.details) { page.paragraph(paragraph) }
    page.section("OPTIONS")
    for option in usage.options { page.option(option) }
    page.line(".TP\n.B \\-\\-help")
    page.text("Shows a summary.")
    if let example = usage.options.first {
      page.section("ENVIRONMENT")
      page.text(
        "Each option is also an environment variable: --\(example.name) is \(example.environmentName). The command "
          + "line takes precedence.")
    }
    page.section("EXIT STATUS")
    for (status, meaning) in [
      (ExitCode.done, "The command succeeded."),
      (.failed, "The command failed; standard error says why, and what to do."),
      (.usage, "The command line is invalid."),
    ] {
      page.line(".TP\n.B \(status.rawValue)")
      page.text(meaning)
    }
    page.ending(["footage"])
    return page.text
  }

  /// The growing source text for `man`.
  private struct Source {
    private(set) var text: String

    static let options = ".RI [ OPTION \"]\\|.\\|.\\|.\""

    init(_ name: String, _ summary: String) {
      text = ".TH \(Self.escaped(name).uppercased()) 1 \"\" \"footage \(FootageVersion.number)\" \"Footage\"\n"
      section("NAME")
      line("\(Self.escaped(name)) \\- \(Self.escaped(Self.asName(summary)))")
    }

    /// Returns a summary in the form of the NAME section: without a capital at its start, and without a period at its
    /// end.
    private static func asName(_ summary: String) -> String {
      let words = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
      return words.prefix(1).lowercased() + words.dropFirst()
    }

    mutating func line(_ line: String) { text += line + "\n" }

    mutating func section(_ name: String) { line(".SH \(name)") }

    mutating func text(_ words: String) { line(Self.escaped(words)) }

    /// - Parameter lines: the lines of a paragraph. If it has columns, it is shown without filling.
    mutating func paragraph(_ lines: [String]) {
      if lines.contains(where: { $0.contains("  ") }) {
        line(".PP\n.nf\n\(lines.map(Self.escaped).joined(separator: "\n"))\n.fi")
      } else {
        line(".PP\n\(Self.escaped(lines.joined(separator: " ")))")
      }
    }

    mutating func option(_ option: Usage.Option) {
      var label = (option.letter.map { "\\fB\\-\($0)\\fR, " } ?? "") + "\\fB\\-\\-\(Self.escaped(option.name))\\fR"
      switch option.kind {
      case .flag: break
      case .value(let name, _): label += " \\fI\(Self.escaped(name))\\fR"
      case .optionalValue(let name): label += " [\\fI\(Self.escaped(name))\\fR]"
      case .attachedValue(let name): label += "[=\\fI\(Self.escaped(name))\\fR]"
      }
      line(".TP\n\(label)")
      text(option.help)
      if case .value(_, let value?) = option.kind { text("The default is \(value).") }
    }

    mutating func ending(_ pages: [String]) {
      section("SEE ALSO")
      line(pages.map { ".BR \(Self.escaped($0)) (1)" }.joined(separator: ",\n"))
    }

    /// Returns the words in a form in which `man` finds no requests or escapes. Hyphens are written so that they can be
    /// copied, and characters beyond ASCII by their numbers (man 7 groff_char).
    static func escaped(_ words: String) -> String {
      words.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        var escaped = ""
        for scalar in line.unicodeScalars {
          switch scalar {
          case "\\": escaped += "\\e"
          case "-": escaped += "\\-"
          case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
          default:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            escaped += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.utf8.count)))\(digits)]"
          }
        }
        // A line that begins with one of these would be a request.
        return line.first == "." || line.first == "'" ? "\\&" + escaped : escaped
      }.joined(separator: "\n")
    }

    /// Returns the lines of each paragraph. Paragraphs are separated by blank lines.
    static func paragraphs(_ text: String) -> [[String]] {
      var paragraphs: [[String]] = [[]]
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if line.isEmpty { paragraphs.append([]) } else { paragraphs[paragraphs.count - 1].append(String(line)) }
      }
      return paragraphs.filter { !$0.isEmpty }
    }
  }
}
