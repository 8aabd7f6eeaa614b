import Testing

@testable import FootageCommands

@Suite struct ParsedArgumentsTests {
  private static let usage = Usage(
    "try", "RetrySchedule.", operands: "FILE…",
    options: [
      .flag("all", "All of them."), .value("limit", "N", letter: "n", default: "10", "How many."),
      .value("output", "PATH", "Where to."), .value("max-rate", "RATE", "How fast."),
      .optionalValue("robot", "HOST", "Which robot."), .attachedValue("frames", "key", "Which frames."),
    ])

  private func parse(
    _ arguments: [String], environment: [String: String] = [:], usage: Usage = usage
  ) throws(UsageError) -> ParsedArguments {
    try ParsedArguments(arguments, for: usage) { environment[$0] }
  }

  @Test(
    arguments: [
      (["--limit", "3"], "3"), (["--limit=3"], "3"), (["-n", "3"], "3"), (["--limit", "3", "--limit=4"], "4"),
      (["-n", "3", "--limit", "4"], "4"), (["--limit="], ""), (["--limit=a=b"], "a=b"), (["--limit", ""], ""),
      // The word after an option that needs a value is its value, whatever it is.
      (["--limit", "--all"], "--all"), (["--limit", "--"], "--"), (["--limit", "-1"], "-1"), ([], "10"),
      (["--limit=\u{E9}"], "\u{E9}"),
    ] as [([String], String)])
  func `a value stands behind its option or a sign of equality, and the last one counts`(
    arguments: [String], value: String
  ) throws {
    let parsed = try parse(arguments)
    #expect(parsed["limit"] == value)
    #expect(parsed.operands.isEmpty && !parsed.wantsHelp)
    #expect(parsed.isGiven("limit") == !arguments.isEmpty)
  }

  @Test(
    arguments: [
      ([], nil, []), (["--frames", "x"], nil, ["x"]), (["x", "--frames"], nil, ["x"]),
      (["--frames=key", "x"], "key", ["x"]), (["--frames="], nil, []),
    ] as [([String], String?, [String])])
  func `a value that is part of the option's word is never the next word`(
    arguments: [String], value: String?, operands: [String]
  ) throws {
    let parsed = try parse(arguments)
    #expect(parsed["frames"] == value && parsed.operands == operands)
    #expect(parsed.isGiven("frames") == !arguments.isEmpty)
  }

  @Test func `an option without a default has no value until it is given one`() throws {
    #expect(try parse([])["output"] == nil)
    #expect(try parse(["-o", "x"])["output"] == "x")
    #expect(try parse(["--output", "x"])["output"] == "x")
    #expect(try parse([])["nothing"] == nil)
  }

  @Test func `a folder that is not named is the service's, with what belongs to it`() throws {
    let usage = Usage(
      "list", "Lists.",
      options: [
        .value("recordings", "DIR", default: "recordings", "Which."), .value("state", "DIR", "Where."),
        .value("layout", "LAYOUT", "How."), .value("limit", "N", "How many."),
      ])
    let service = [
      "FOOTAGE_RECORDINGS": "/srv", "FOOTAGE_STATE": "/var", "FOOTAGE_LAYOUT": "", "FOOTAGE_LIMIT": "3",
    ]
    func parse(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [String?] {
      let parsed = try ParsedArguments(
        arguments, for: usage, environment: { environment[$0] }, service: { service[$0] })
      return ["recordings", "state", "layout", "limit"].map { parsed[$0] } + [parsed.inherited("state")]
    }
    #expect(try parse([]) == ["/srv", "/var", nil, nil, "/var"])
    // For `list`, the option `--state` has a second meaning.
    #expect(try parse(["--state", "refused"]) == ["/srv", "refused", nil, nil, "/var"])
    #expect(try parse([], ["FOOTAGE_STATE": "/tmp"]) == ["/srv", "/tmp", nil, nil, "/tmp"])
    // For another folder, none of the service's settings apply.
    #expect(try parse(["--recordings", "x"]) == ["x", nil, nil, nil, nil])
    #expect(try parse([], ["FOOTAGE_RECORDINGS": "x"]) == ["x", nil, nil, nil, nil])
  }

  @Test func `a flag is set or not`() throws {
    #expect(try parse(["--all"]).flag("all"))
    #expect(try parse(["--all", "--all"]).flag("all"))
    #expect(try !parse([]).flag("all"))
  }

  @Test(
    arguments: [
      (["--robot", "h"], "h", []), (["--robot=h"], "h", []), (["--robot"], nil, []), (["--robot", "--all"], nil, []),
      (["--robot", "-n", "3"], nil, []), (["--robot="], nil, []), (["--robot", "h", "x"], "h", ["x"]),
      (["--robot", "--", "x"], nil, ["x"]),
    ] as [([String], String?, [String])])
  func `an option that may stand alone takes no other option for its value`(
    arguments: [String], value: String?, operands: [String]
  ) throws {
    let parsed = try parse(arguments)
    #expect(parsed["robot"] == value && parsed.isGiven("robot"))
    #expect(parsed.operands == operands)
  }

  @Test(
    arguments: [
      (["a", "b"], ["a", "b"]), (["a", "--all", "b"], ["a", "b"]),
      (["--", "--all", "-n", "--"], ["--all", "-n", "--"]),
      (["--"], []), (["-"], ["-"]), (["-x"], ["-x"]), ([""], [""]), (["a", "--", "b"], ["a", "b"]),
    ] as [([String], [String])])
  func `what is no option is an operand, and so is everything behind two dashes`(
    arguments: [String], operands: [String]
  ) throws {
    #expect(try parse(arguments).operands == operands)
  }

  @Test(
    arguments: [
      (["--nothing"], "there is no option --nothing"), (["--nothing=1"], "there is no option --nothing"),
      // An abbreviation could mean another option in a later version.
      (["--lim", "3"], "there is no option --lim"), (["--Limit", "3"], "there is no option --Limit"),
      (["--=3"], "there is no option --"), (["---all"], "there is no option ---all"),
      (["--limit"], "--limit needs a value: --limit N"), (["-n"], "--limit needs a value: --limit N"),
      (["-o"], "--output needs a value: --output PATH"), (["--all=1"], "--all takes no value"),
      (["--all="], "--all takes no value"),
    ])
  func `what makes no sense is told in words`(arguments: [String], words: String) {
    let error = #expect(throws: UsageError.self) { try parse(arguments) }
    #expect(error?.description == words)
  }

  @Test func `a letter is an option where the command has it, and an operand elsewhere`() throws {
    let usage = Usage("try", "RetrySchedule.", options: [.flag("all", "All of them.")])
    #expect(try parse(["-o", "-n"], usage: usage).operands == ["-o", "-n"])
  }

  @Test(arguments: [["--help"], ["-h"], ["a", "--help"], ["--limit", "3", "-h", "b"]])
  func `help may be asked for anywhere`(arguments: [String]) throws {
    #expect(try parse(arguments).wantsHelp)
    #expect(try !parse(["--"] + arguments).wantsHelp)
  }

  @Test func `the environment says what the command line does not`() throws {
    let environment = [
      "FOOTAGE_LIMIT": "5", "FOOTAGE_ALL": "1", "FOOTAGE_OUTPUT": "", "FOOTAGE_MAX_RATE": "8M", "FOOTAGE_ROBOT": "h",
    ]
    let parsed = try parse(["--robot", "i"], environment: environment)
    #expect(parsed["limit"] == "5" && parsed.flag("all") && parsed["max-rate"] == "8M")
    #expect(parsed["robot"] == "i")
    // An empty variable has no effect.
    #expect(parsed["output"] == nil && !parsed.isGiven("output"))
    #expect(try parse(["--limit=6"], environment: environment)["limit"] == "6")
    #expect(try !parse([], environment: ["FOOTAGE_ALL": "0"]).flag("all"))
    #expect(try parse(["--all"], environment: ["FOOTAGE_ALL": "0"]).flag("all"))
  }

  @Test(
    arguments: [
      ("1", true), ("true", true), ("TRUE", true), ("Yes", true), ("on", true), (" on ", true), ("0", false),
      ("false", false), ("False", false), ("no", false), ("OFF", false), ("", false),
    ])
  func `a switch in the environment is on or off, in whichever word`(_ text: String, _ isOn: Bool) throws {
    let parsed = try parse([], environment: ["FOOTAGE_ALL": text])
    #expect(parsed.flag("all") == isOn && parsed.isGiven("all") == isOn)
    #expect(try parse(["--all"], environment: ["FOOTAGE_ALL": text]).flag("all"))
  }

  @Test(arguments: ["maybe", "2", "y", "n", "disabled", "-", "tru"])
  func `a switch that says neither is an error, whatever the command line says`(_ text: String) throws {
    for arguments in [[], ["--all"], ["x"]] as [[String]] {
      let error = #expect(throws: UsageError.self) { try parse(arguments, environment: ["FOOTAGE_ALL": text]) }
      #expect(
        error?.description
          == "FOOTAGE_ALL must be 1, true, yes or on, or 0, false, no or off, not '\(text)'")
    }
    // Help must work, because it explains how to correct the variable.
    #expect(try parse(["--help"], environment: ["FOOTAGE_ALL": text]).wantsHelp)
  }

  @Test func `an option goes by its former name as well, and says where its value is from`() throws {
    let usage = Usage(
      "try", "Tries.",
      options: [.value("state-dir", "DIR", formerly: "state", "Where."), .flag("all", "All of them.")])
    #expect(try parse(["--state", "x"], usage: usage)["state-dir"] == "x")
    #expect(try parse(["--state=x"], usage: usage).origin(of: "state-dir") == .commandLine)
    let inherited = try parse([], environment: ["FOOTAGE_STATE": "y", "FOOTAGE_ALL": "no"], usage: usage)
    #expect(inherited["state-dir"] == "y" && !inherited.isTyped("state-dir"))
    #expect(
      inherited.origin(of: "state-dir") == .environment(.init(name: "FOOTAGE_STATE", isFromService: false)))
    let both = try parse([], environment: ["FOOTAGE_STATE": "y", "FOOTAGE_STATE_DIR": "z"], usage: usage)
    #expect(both["state-dir"] == "z" && both.origin(of: "all") == .standard)
    // If two options match, the one that has the name now wins.
    let options: [Usage.Option] = [
      .value("state", "STATE", "Which."), .value("state-dir", "DIR", formerly: "state", "Where."),
    ]
    let list = Usage("list", "Lists.", options: options)
    let parsed = try parse(["--state", "ready"], usage: list)
    #expect(parsed["state"] == "ready" && parsed["state-dir"] == nil)
  }

  @Test func `a number has bounds, which are told`() throws {
    #expect(try parse(["--limit", "7"]).number("limit", 1...7) == 7)
    #expect(try parse([]).number("limit", 1...10) == 10)
    #expect(try parse([]).number("max-rate", 1...10) == nil)
    for text in ["0", "8", "", "x", "7.0", " 7", "99999999999999999999"] {
      let parsed = try parse(["--limit", text])
      let error = #expect(throws: UsageError.self) { try parsed.number("limit", 1...7) }
      #expect(error?.description == "--limit must be a number from 1 to 7, not '\(text)'")
    }
  }

  @Test func `a command without operands names the first one too many`() throws {
    let parsed = try parse(["extra", "more"])
    let error = #expect(throws: UsageError.self) { try parsed.expectNoOperands() }
    #expect(error?.description == "'extra' is one word too many")
    #expect(throws: Never.self) { try parse(["--all"]).expectNoOperands() }
  }
}
