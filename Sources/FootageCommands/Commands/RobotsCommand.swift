internal import FootageCore
internal import FootageBase
internal import Synchronization
internal import FootageAPI

/// The command `footage robots`, which lists the robots that announce themselves on this network, or the paired ones.
enum RobotsCommand: Command {
  static let usage = Usage(
    "robots", "Lists the robots that announce themselves on this network, or the paired ones.",
    options: [
      .value("wait", "SECONDS", default: "2", "How long to wait for answers."),
      .flag("paired", "Lists the paired robots, without using the network."),
      .flag("json", "Prints JSON, for programs."),
    ],
    details: """
      A robot announces itself if Avahi runs on it (the package provides what that needs). This machine's own Avahi is
      asked over the system bus; if there is none, or it knows no robot, the network is asked. Anyone on the network can
      answer, so the pin is a hint, to be compared with the one on the robot's console. footage pair ADDRESS does that,
      and remembers the pin. A paired robot is listed under its local name, if the announced pin belongs to it.

      Exits with 1 if no robot answered, or none is paired.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let seconds = try arguments.number("wait", 1...60) ?? 2
    let isForPrograms = arguments.flag("json")
    let store: PairingStore?
    do throws(CommandFailure) { store = try RobotAccess.pairings() } catch {
      guard !arguments.flag("paired") else { return try error.exitCode() }
      store = nil
    }
    if arguments.flag("paired"), let store { return list(pairedIn: store, isForPrograms) }
    return AsyncMain.run { await list(announcedWithin: seconds, among: store, isForPrograms) }
  }

  // MARK: On the network

  private static func list(
    announcedWithin seconds: Int, among store: PairingStore?, _ isForPrograms: Bool
  ) async -> ExitCode {
    let found = Mutex<[String: RobotDiscovery.Robot]>([:])
    let failure = await TimeLimit.result(within: .seconds(seconds)) { () async -> DiscoveryError? in
      do throws(DiscoveryError) {
        for try await event in RobotDiscovery(pairings: store) {
          found.withLock { found in
            switch event {
            case .found(let robot), .changed(let robot): found[robot.id] = robot
            case .lost(let robot): found[robot.id] = nil
            }
          }
        }
        return nil
      } catch { return error }
    }
    if let failure = failure ?? nil { return Terminal.failed(failure) }
    let robots = found.withLock { $0.values.sorted { ($0.announced.name, $0.id) < ($1.announced.name, $1.id) } }
    if isForPrograms {
      Terminal.output(json(robots) + "\n")
    } else if !robots.isEmpty {
      Terminal.output(table(robots))
    }
    guard robots.isEmpty else { return .done }
    return Terminal.failed(
      "no robot answered within \(seconds) s: it must be on this network, with Avahi running on it; "
        + "footage pair HOST works without Avahi")
  }

  private static func table(_ robots: [RobotDiscovery.Robot]) -> String {
    typealias Column = TextTable.Column
    var columns = [
      Column("NAME", robots.map { Terminal.printable($0.announced.name) }),
      Column("ADDRESS", robots.map { place($0.announced) }),
      Column("IP ADDRESSES", robots.map { numbers($0.announced).joined(separator: " ") }),
      Column("PIN (HINT)", robots.map { $0.announced.pinHint?.description ?? "–" }),
    ]
    if robots.contains(where: { $0.pairing != nil }) {
      columns.append(Column("MAY BE", robots.map { $0.pairing.map { Terminal.printable($0.shownName) } ?? "–" }))
    }
    return TextTable(columns: columns).text
  }

  private static func place(_ robot: AnnouncedRobot) -> String { robot.addresses.first?.description ?? "–" }

  private static func numbers(_ robot: AnnouncedRobot) -> [String] { robot.addresses.dropFirst().map(\.host) }

  private static func json(_ robots: [RobotDiscovery.Robot]) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("robots") { json in
        json.array(robots) { json, robot in
          json.object { json in
            json.member("name", robot.announced.name)
            json.member("address", place(robot.announced))
            json.member("numbers") { json in json.array(numbers(robot.announced)) { $0.value($1) } }
            json.member("pinHint", robot.announced.pinHint?.description)
            if let pairing = robot.pairing { json.member("mayBe", pairing.name ?? pairing.address.description) }
          }
        }
      }
    }
    return json.text
  }

  // MARK: Paired

  private static func list(pairedIn store: PairingStore, _ isForPrograms: Bool) -> ExitCode {
    let all: [PairingStore.Pairing]
    do throws(PairingError) { all = try store.all() } catch { return Terminal.failed(error) }
    if isForPrograms {
      var json = JSONWriter()
      json.object { json in
        json.member("robots") { json in json.array(all) { write($1, into: &$0) } }
      }
      Terminal.output(json.text + "\n")
    } else if !all.isEmpty {
      typealias Column = TextTable.Column
      Terminal.output(
        TextTable(columns: [
          Column("NAME", all.map { Terminal.printable($0.name ?? "–") }),
          Column("LAST SEEN AT", all.map(\.address.description)),
          Column("OTHER ADDRESSES", all.map { $0.otherAddresses.map(\.description).joined(separator: " ") }),
          Column("PIN", all.map { $0.pins.first?.description ?? "–" }),
        ]).text)
    }
    guard all.isEmpty else { return .done }
    return Terminal.failed("no robot is paired yet: pair with one (footage pair HOST)")
  }

  private static func write(_ pairing: PairingStore.Pairing, into json: inout JSONWriter) {
    json.object { json in
      json.member("name", pairing.name)
      json.member("address", pairing.address.description)
      json.member("otherAddresses") { json in json.array(pairing.otherAddresses.map(\.description)) { $0.value($1) } }
      json.member("pins") { json in json.array(pairing.pins.map(\.description)) { $0.value($1) } }
      json.member("earlierPins") { json in json.array(pairing.earlier.map(\.description)) { $0.value($1) } }
    }
  }
}
