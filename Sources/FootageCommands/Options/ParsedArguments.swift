internal import FootageSystem

/// A parsed command line: the operands, and the options from the command line, the environment, or their defaults.
struct ParsedArguments {
  private var given: [String: String] = [:]
  /// The options that do not come from the command line.
  private var inherited: [String: String] = [:]
  /// The variables that the inherited options come from.
  private var variables: [String: Variable] = [:]
  private var typed: Set<String> = []
  /// The values of repeatable options on the command line.
  private var repeated: [String: String] = [:]
  private let usage: Usage
  private(set) var operands: [String] = []
  private(set) var wantsHelp = false

  /// The options that belong to a folder. If the command line names a different folder from the service's, the
  /// service's values do not apply.
  private static let ofFolder: Set<String> = ["recordings", "state", "state-dir", "layout", "name-zone"]

  /// The origin of a value.
  enum Origin: Hashable {
    case commandLine
    case environment(Variable)
    case standard
  }

  /// A variable in the environment of this process, or of the service.
  struct Variable: Hashable {
    let name: String
    let isFromService: Bool
  }

  /// - Parameters:
  ///   - environment: looks up a variable.
  ///   - service: looks up a variable of the service whose folder is meant if none is named.
  init(
    _ arguments: [String], for usage: Usage, environment: (String) -> String? = Process.variable,
    service: (String) -> String? = { _ in nil }
  ) throws(UsageError) {
    self.usage = usage
    var unfit: UsageError?
    for option in usage.options {
      do throws(UsageError) { try inherit(option, from: environment, isFromService: false) } catch {
        unfit = unfit ?? error
      }
    }
    given = inherited
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        break
      } else if argument == "--help" || argument == "-h" {
        wantsHelp = true
      } else if argument == "-o", usage.options.contains(where: { $0.name == "output" }) {
        try take("--output", &rest)
      } else if argument.utf8.starts(with: "--".utf8) {
        try take(argument, &rest)
      } else if let option = usage.options.first(where: { $0.letter.map { "-\($0)" } == argument }) {
        try take("--\(option.name)", &rest)
      } else {
        operands.append(argument)
      }
    }
    if let unfit, !wantsHelp { throw unfit }
    guard given["recordings"] == nil else { return }
    for option in usage.options where Self.ofFolder.contains(option.name) && inherited[option.name] == nil {
      try inherit(option, from: service, isFromService: true)
      if given[option.name] == nil { given[option.name] = inherited[option.name] }
    }
  }

  /// Takes the value of an option from its variable. An empty variable counts as not set.
  private mutating func inherit(
    _ option: Usage.Option, from environment: (String) -> String?, isFromService: Bool
  ) throws(UsageError) {
    for name in option.environmentNames {
      guard let value = environment(name), !value.isEmpty else { continue }
      if case .flag = option.kind {
        guard let isOn = SwitchText.read(value) else { throw UsageError(SwitchText.words(name, value)) }
        // An option that is switched off counts as not set.
        if isOn { inherited[option.name] = "1" }
      } else {
        inherited[option.name] = value
      }
      variables[option.name] = Variable(name: name, isFromService: isFromService)
      return
    }
  }

  /// Takes an option of the form `--name value`, `--name=value` or `--flag`. The caller has replaced `-n` by `--name`.
  private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let body = argument.utf8.dropFirst(2)
    let parts = body.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0]) ?? ""
    guard
      let option = usage.options.first(where: { $0.name == name })
        ?? usage.options.first(where: { $0.formerName == name })
    else { throw UsageError("there is no option --\(name)") }
    typed.insert(option.name)
    switch option.kind {
    case .flag:
      guard parts.count == 1 else { throw UsageError("--\(name) takes no value") }
      given[option.name] = "1"
    case .optionalValue:
      if parts.count == 2 {
        given[option.name] = String(parts[1])
      } else if let next = rest.first, next.utf8.first != UInt8(ascii: "-") {
        given[option.name] = next
        rest.removeFirst()
      } else {
        given[option.name] = ""
      }
    case .attachedValue: given[option.name] = parts.count == 2 ? String(parts[1]) : ""
    case .value(let valueName, _):
      if parts.count == 2 {
        give(String(parts[1]) ?? "", to: option)
      } else if let value = rest.popFirst() {
        give(value, to: option)
      } else {
        throw UsageError("--\(name) needs a value: --\(name) \(valueName)")
      }
    }
  }

  /// Sets the value of an option. The command line takes precedence over the environment.
  private mutating func give(_ value: String, to option: Usage.Option) {
    if option.isRepeatable, let former = repeated[option.name] {
      given[option.name] = "\(former),\(value)"
    } else {
      given[option.name] = value
    }
    if option.isRepeatable { repeated[option.name] = given[option.name] }
  }

  /// Returns true if a flag is set, on the command line or by a variable that switches it on.
  func flag(_ name: String) -> Bool { given[name] != nil }

  /// Returns true if the command line itself contains this option.
  func isTyped(_ name: String) -> Bool { typed.contains(name) }

  /// Returns the origin of an option's value.
  func origin(of name: String) -> Origin {
    if typed.contains(name) { return .commandLine }
    return variables[name].map { .environment($0) } ?? .standard
  }

  /// Returns the value of an option that is not on the command line.
  func inherited(_ name: String) -> String? { inherited[name] }

  /// Returns true if the command line, the environment or the service sets this option.
  func isGiven(_ name: String) -> Bool { given[name] != nil }

  /// The value of an option, or its default; nil if there is neither, or the option has no value.
  subscript(name: String) -> String? {
    let kind = usage.options.first { $0.name == name }?.kind
    if let value = given[name] {
      switch kind {
      case .optionalValue?, .attachedValue?: return value.isEmpty ? nil : value
      default: return value
      }
    }
    guard case .value(_, let value)? = kind else { return nil }
    return value
  }

  /// Returns the number that an option holds.
  func number(_ name: String, _ allowed: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), allowed.contains(number) else {
      throw UsageError(
        "--\(name) must be a number from \(allowed.lowerBound) to \(allowed.upperBound), not '\(text)'")
    }
    return number
  }

  func expectNoOperands() throws(UsageError) {
    guard let first = operands.first else { return }
    throw UsageError("'\(first)' is one word too many")
  }
}
