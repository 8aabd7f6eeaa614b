import Testing

@testable import FootageCommands

@Suite struct UsageTests {
  private static let usages = Footage.commands.map { $0.usage }

  @Test func `help names every option with its value, its letter, its default and what it does`() {
    for usage in Self.usages {
      let lines = usage.help.split(separator: "\n").map(String.init)
      #expect(lines.first?.hasPrefix("usage: footage \(usage.name)") == true)
      #expect(lines.contains(usage.summary))
      for option in usage.options {
        let label = (option.letter.map { "-\($0), " } ?? "") + "--\(option.name)"
        let line = lines.first { $0.hasPrefix("  \(label) ") || $0.hasPrefix("  \(label)[") }
        #expect(line?.contains("  \(option.help)") == true, "footage \(usage.name) \(label)")
        switch option.kind {
        case .flag: break
        case .value(let name, let value):
          #expect(line?.hasPrefix("  \(label) \(name) ") == true, "footage \(usage.name) \(label)")
          if let value { #expect(line?.hasSuffix(" [\(value)]") == true, "footage \(usage.name) \(label)") }
        case .optionalValue(let name):
          #expect(line?.hasPrefix("  \(label) [\(name)] ") == true, "footage \(usage.name) \(label)")
        case .attachedValue(let name):
          #expect(line?.hasPrefix("  \(label)[=\(name)] ") == true, "footage \(usage.name) \(label)")
        }
      }
      #expect(lines.contains { $0.hasPrefix("  --help ") })
    }
  }

  @Test func `the overview has a line for every command`() {
    for usage in Self.usages {
      #expect(
        Footage.overview.split(separator: "\n").contains {
          $0.hasPrefix("  \(usage.name) ") && $0.hasSuffix(usage.summary)
        },
        "\(usage.name)")
    }
  }

  @Test func `names are of use: no two are the same, none is help's, and all can be typed and be variables`() {
    #expect(Set(Self.usages.map(\.name)).count == Self.usages.count)
    for usage in Self.usages {
      let names = usage.options.map(\.name)
      #expect(Set(names).count == names.count, "\(usage.name)")
      let letters = usage.options.compactMap(\.letter)
      #expect(Set(letters).count == letters.count && !letters.contains("h"), "\(usage.name)")
      for option in usage.options {
        #expect(option.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil && option.name != "help", "\(option.name)")
        #expect(option.environmentName.wholeMatch(of: /FOOTAGE(_[A-Z0-9]+)+/) != nil, "\(option.environmentName)")
        #expect(option.help.hasSuffix(".") || option.help.hasSuffix("]"), "\(usage.name) --\(option.name)")
      }
    }
  }

  @Test(arguments: [
    ("recordings", "FOOTAGE_RECORDINGS"), ("max-connections", "FOOTAGE_MAX_CONNECTIONS"), ("p12", "FOOTAGE_P12"),
  ])
  func `an option's variable is its name in capitals`(name: String, variable: String) {
    #expect(Usage.Option.flag(name, "").environmentName == variable)
  }
}
