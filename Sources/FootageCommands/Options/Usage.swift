/// The name, the arguments and the purpose of a command. The help and the parser both use it.
struct Usage {
  struct Option {
    enum Kind {
      case flag
      /// The option takes a value. `name` is the value's name in the help.
      case value(name: String, default: String?)
      /// The value may be omitted at the end, or before another option.
      case optionalValue(name: String)
      /// The value may be omitted. If present, it is part of the same word, as in `--frames=key`.
      case attachedValue(name: String)
    }

    /// The name of the option, without its dashes.
    let name: String
    /// The letter of the short form; `o` for `-o`.
    var letter: String?
    let kind: Kind
    /// True if the option may be repeated. Its value then consists of all values, separated by commas.
    var isRepeatable = false
    /// The former name of the option, which still works; nil if there is none.
    var formerName: String?
    let help: String

    static func flag(_ name: String, _ help: String) -> Option { Option(name: name, kind: .flag, help: help) }

    static func value(
      _ name: String, _ valueName: String, letter: String? = nil, default: String? = nil,
      formerly formerName: String? = nil, _ help: String
    ) -> Option {
      Option(
        name: name, letter: letter, kind: .value(name: valueName, default: `default`), formerName: formerName,
        help: help)
    }

    static func values(_ name: String, _ valueName: String, _ help: String) -> Option {
      Option(name: name, kind: .value(name: valueName, default: nil), isRepeatable: true, help: help)
    }

    static func optionalValue(_ name: String, _ valueName: String, _ help: String) -> Option {
      Option(name: name, kind: .optionalValue(name: valueName), help: help)
    }

    static func attachedValue(_ name: String, _ valueName: String, _ help: String) -> Option {
      Option(name: name, kind: .attachedValue(name: valueName), help: help)
    }

    /// The name of the option's variable in the environment: `FOOTAGE_MAX_CONNECTIONS` for `--max-connections`.
    var environmentName: String { Self.environmentName(name) }

    /// The variables that may hold the option, in order of precedence.
    var environmentNames: [String] { [environmentName] + (formerName.map { [Self.environmentName($0)] } ?? []) }

    private static func environmentName(_ name: String) -> String {
      let capitals = name.utf8.map { byte -> UInt8 in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte & 0xDF
        case UInt8(ascii: "-"): UInt8(ascii: "_")
        default: byte
        }
      }
      return "FOOTAGE_" + String(decoding: capitals, as: UTF8.self)
    }
  }

  let name: String
  /// A summary in one line.
  let summary: String
  /// The operands after the options, in the form of the help: `FILE…`.
  let operands: String
  let options: [Option]
  /// Further paragraphs for the help.
  let details: String
  /// True if the command uses the folder of the package's service when the package is installed and no folder is named.
  let isBesideService: Bool

  init(
    _ name: String, _ summary: String, operands: String = "", options: [Option], details: String = "",
    isBesideService: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options
    self.details =
      isBesideService
      ? "\(details)\n\nIf the package is installed and --recordings is not given, the folder of its service is used."
      : details
    self.isBesideService = isBesideService
  }

  var help: String {
    var text = "usage: footage \(name)\(options.isEmpty ? "" : " [OPTION]…")\(operands.isEmpty ? "" : " \(operands)")\n"
    text += "\n\(summary)\n"
    if !details.isEmpty { text += "\n\(details)\n" }
    text += "\n"
    let shown =
      options.map { ("\($0.letter.map { "-\($0), " } ?? "")--\($0.name)\(Self.valueText($0))", $0) }
      + [("--help", Option.flag("help", "Shows this help."))]
    let width = shown.map { $0.0.utf8.count }.max() ?? 0
    for (label, option) in shown {
      text += "  \(label)\(String(repeating: " ", count: width - label.utf8.count))  \(option.help)"
      if case .value(_, let value?) = option.kind { text += " [\(value)]" }
      text += "\n"
    }
    if !options.isEmpty {
      text += "\nEach option is also an environment variable: --\(options[0].name) = \(options[0].environmentName).\n"
    }
    return text
  }

  private static func valueText(_ option: Option) -> String {
    switch option.kind {
    case .flag: ""
    case .value(let name, _): " \(name)"
    case .optionalValue(let name): " [\(name)]"
    case .attachedValue(let name): "[=\(name)]"
    }
  }
}

/// An error for an invalid command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
