import FootageClient
import Foundation

extension Command {
  static let ofRobots = [
    Command(name: "pair", parameters: "CODE [NAME]", purpose: "with the robot whose code was scanned", run: pair),
    Command(
      name: "compare", parameters: "ADDRESS", purpose: "pairs by comparing the pin with the console", run: compare),
    Command(name: "robots", parameters: "", purpose: "that are paired", run: robots),
    Command(name: "nearby", parameters: "[SECONDS]", purpose: "robots that are on this network", run: nearby),
    Command(name: "forget", parameters: "ADDRESS", purpose: "a robot and its keys", run: forget),
    Command(
      name: "identity", parameters: "FILE", purpose: "the app's certificate; its passphrase is typed", run: identity),
  ]

  private static func pair(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    var link = try PairingLink(arguments.next("the code"))
    if let name = arguments.nextIfAny() { link = try link.named(name) }
    _ = try await RobotConnection(
      scanned: link, in: viewer.pairings, as: viewer.home.identity(), cache: viewer.cache)
    tell("Paired with \(printable(link.name)), \(link.pin).")
  }

  private static func compare(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let typed = try arguments.next("the address")
    let shown = try await RobotConnection.shownPin(at: typed)
    guard let address = RobotAddress(typed) else { throw Misuse("\(typed) is no address") }
    tell("\(address) shows \(shown).")
    tell("Is that what the robot's console shows? Type yes, if so.")
    guard await typedLine() == "yes" else {
      tell("Not paired.")
      return
    }
    try viewer.pairings.remember(shown, of: address)
    tell("Paired with \(address).")
  }

  private static func robots(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    for robot in try viewer.pairings.all() {
      tell("\(robot.title)  \(robot.address)  \(robot.pins.map(\.description).joined(separator: ", "))")
    }
  }

  private static func nearby(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let time = Duration.seconds(try arguments.isEmpty ? 5 : arguments.seconds("how long"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for try await event in RobotDiscovery(pairings: viewer.pairings) {
          guard case .found(let robot) = event else { continue }
          let places = robot.addresses.map(\.description).joined(separator: ", ")
          tell("\(printable(robot.name))  \(places)  \(robot.pairing == nil ? "not paired" : "paired")")
        }
      }
      group.addTask { try await Task.sleep(for: time) }
      try await group.next()
      group.cancelAll()
    }
  }

  private static func forget(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let typed = try arguments.next("the address")
    guard let address = RobotAddress(typed) else { throw Misuse("\(typed) is no address") }
    tell(try viewer.pairings.forget(address) ? "Forgotten." : "Nobody has paired with \(address).")
  }

  /// Opens the file before it is stored. A connection that trusts no robot opens it and sends nothing.
  private static func identity(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let file = try Data(contentsOf: arguments.file())
    note("Its passphrase:")
    let passphrase = await typedLine() ?? ""
    _ = try await RobotConnection(
      to: "localhost", trusting: .pinned([]), as: .pkcs12(file, passphrase: passphrase))
    try viewer.home.remember(identity: file, passphrase: passphrase)
    tell("Robots that ask for a certificate are shown this one.")
  }
}
