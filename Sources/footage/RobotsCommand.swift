internal import FootageCore
internal import Formats
internal import System
internal import Trust

/// `footage robots`: who on this network says that it is a robot.
enum RobotsCommand: Command {
  static let usage = Usage(
    "robots", "Lists the robots that say on this network where they are.",
    options: [
      .value("wait", "SECONDS", default: "2", "How long answers are waited for."),
      .flag("json", "For programs."),
    ],
    details: """
      A robot says so where Avahi runs on it (the package brings what that needs). This machine's own Avahi is asked
      first (avahi-browse, of avahi-utils); where that is not there or knows none, the network is. Anybody can answer:
      the pin is a hint, to be compared with the one on the robot's console. footage pair ADDRESS does that, and
      remembers it.

      Exits with 1 when nobody answered.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let seconds = try arguments.number("wait", 1...60) ?? 2
    let robots: [AnnouncedRobot]
    let known = AvahiBrowser.robots(within: seconds)
    do throws(SystemError) { robots = known.isEmpty ? try answers(within: .seconds(seconds)) : known } catch {
      return Terminal.failed("this machine cannot ask its network: \(error)")
    }
    if arguments.flag("json") {
      Terminal.output(json(robots) + "\n")
    } else if !robots.isEmpty {
      Terminal.output(table(robots))
    }
    guard robots.isEmpty else { return .done }
    return Terminal.failed(
      "no robot answered within \(seconds) s: it has to be on this network, with Avahi running on it; "
        + "footage pair HOST works without")
  }

  /// The groups of multicast DNS (RFC 6762 §3).
  private static let groups = [
    SocketAddress(addressBytes: [224, 0, 0, 251], port: 5353),
    SocketAddress(addressBytes: [0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFB], port: 5353),
  ]
  /// How many answers are taken: whoever sends more is not heard any more.
  private static let mostAnswers = 1_000

  /// Asks, and again after one second, three, seven and so on (RFC 6762 §5.2): a datagram may be lost, and a robot that
  /// has just started answers only once it knows that its name is its own.
  private static func answers(within patience: Duration) throws(SystemError) -> [AnnouncedRobot] {
    let clock = Clock.system
    let question = try MulticastQuestion(to: groups)
    let words = DNSMessage.question(for: AnnouncedRobot.service)
    let pauses = (1...6).map { Duration.seconds(1 << $0 - 1) }.filter { $0 < patience }
    let deadlines = (pauses + [patience]).map { clock.deadline(after: $0) }
    try question.ask(words)
    var messages: [DNSMessage] = []
    for (index, deadline) in deadlines.enumerated() {
      while messages.count < mostAnswers, let answer = question.next(until: deadline, capacity: DNSMessage.largest) {
        if let message = DNSMessage(answer.bytes) { messages.append(message) }
      }
      if index < pauses.count { try question.ask(words) }
    }
    return AnnouncedRobot.robots(in: messages)
  }

  private static func address(_ robot: AnnouncedRobot) -> String {
    HostPort(host: robot.host, port: robot.port).description
  }

  private static func table(_ robots: [AnnouncedRobot]) -> String {
    typealias Column = TextTable.Column
    let numbers = robots.map { robot in
      robot.addresses.map { SocketAddress(addressBytes: $0, port: 0).host }.joined(separator: " ")
    }
    return TextTable(columns: [
      Column("NAME", robots.map { Terminal.printable($0.name) }),
      Column("ADDRESS", robots.map { Terminal.printable(address($0)) }),
      Column("NUMBERS", numbers),
      Column("PIN (A HINT)", robots.map { $0.pin?.description ?? "–" }),
    ]).text
  }

  private static func json(_ robots: [AnnouncedRobot]) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("robots") { json in
        json.array(robots) { json, robot in
          json.object { json in
            json.member("name", robot.name)
            json.member("address", address(robot))
            json.member("numbers") { json in
              json.array(robot.addresses) { $0.value(SocketAddress(addressBytes: $1, port: 0).host) }
            }
            json.member("pinHint", robot.pin?.description)
          }
        }
      }
    }
    return json.text
  }
}
