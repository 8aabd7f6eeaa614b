/// A network between a robot and an app that is far away: delay, rate, loss, and a black hole.
import FootageBase
import Foundation
import Testing

/// It consists of two network namespaces and a link between them, which `scripts/tools/far_link.py` makes and
/// documents. A process runs in one of them from its start. The namespaces are gone with the link and the last of these
/// processes.
package final class FarLink: @unchecked Sendable {
  /// The link's description of itself.
  private struct Place {
    var app: String
    var robot: String
    var seed: UInt64
  }

  /// The traffic that the link has carried.
  package struct Count: Hashable, Sendable {
    /// The number of TCP connections that were begun on the app's side.
    package var connections: Int
    /// The number of bytes, in packets, that have reached the app's side.
    package var bytes: Int
  }

  private let process: RunningProgram
  private let orders = Pipe()
  private let answers = Pipe()
  private let lock = NSLock()
  private var unread: [UInt8] = []
  private var place: Place?
  private let folder: TemporaryFolder

  /// The robot's IPv4 address.
  package static let robotAddress = "10.8.0.2"
  /// The robot's IPv6 address, without brackets.
  package static let robotAddressV6 = "fd08::2"
  /// The robot's link-local address, with the interface through which the app's side reaches it.
  package static let robotAddressOnLink = "fe80::2%far0"
  /// An IPv4 address that no host has. Packets to it are lost.
  package static let deadAddress = "10.8.0.99"
  /// An IPv6 address that no host has. Packets to it are lost.
  package static let deadAddressV6 = "fd08::99"

  private static let script = Checkout.path("scripts/tools/far_link.py")

  /// The reason why this machine cannot have a link; nil if it can.
  package static let refusal: String? = {
    guard let outcome = try? Command("python3", script, "--check").run() else { return "there is no python3" }
    return outcome.succeeded ? nil : outcome.errors.trimmingCharacters(in: .whitespacesAndNewlines)
  }()

  /// - Parameters:
  ///   - milliseconds: the duration of a round trip.
  ///   - bytesPerSecond: the rate at which the robot sends; nil for no limit.
  ///   - loss: the share of packets that are lost in each direction.
  ///   - seed: the seed of the loss, which is printed; nil for a new one.
  ///   - hosts: names that the app's side can resolve in addition to its own.
  package init(
    roundTrip milliseconds: Int, bytesPerSecond: Int? = nil, loss: Double = 0, seed: UInt64? = nil,
    hosts: [(address: String, name: String)] = []
  ) throws {
    folder = try TemporaryFolder()
    var arguments = [Self.script, "\(milliseconds)", "--loss", "\(loss)"]
    if let bytesPerSecond { arguments += ["--rate", "\(bytesPerSecond)"] }
    if let seed { arguments += ["--seed", "\(seed)"] }
    let lines = ["127.0.0.1 localhost", "::1 localhost"] + hosts.map { "\($0.address) \($0.name)" }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: folder.path("hosts")))
    process = try RunningProgram(Command("python3", arguments: arguments), input: orders, output: answers)
    let line = nextLine()
    place = JSONValue(Array(line.utf8)).flatMap { json in
      guard let app = json["app"]?.string, let robot = json["robot"]?.string,
        let seed = json["seed"]?.integer(UInt64.self)
      else { return nil }
      return Place(app: app, robot: robot, seed: seed)
    }
    guard let place else {
      try? orders.fileHandleForWriting.close()
      _ = process.waitForEnd()
      throw CommandFailure(description: "\(line) \(process.errors)")
    }
    if loss > 0 { print("a far link loses \(loss) of its packets: seed \(place.seed)") }
  }

  deinit {
    try? orders.fileHandleForWriting.close()
    _ = process.waitForEnd()
  }

  // MARK: Processes

  /// Returns the command changed so that it runs on the app's side.
  package func app(_ command: Command) -> Command {
    var command = inside(required(place).app, command)
    // A mount namespace of its own, for names that only this side knows.
    command.arguments.insert(
      contentsOf: [
        "unshare", "--mount", "--propagation", "private", "sh", "-c",
        "mount --bind \"$0\" /etc/hosts && exec \"$@\"", folder.path("hosts"),
      ], at: 1)
    return command
  }

  /// Returns the command changed so that it runs on the robot's side.
  package func robot(_ command: Command) -> Command { inside(required(place).robot, command) }

  private func inside(_ namespace: String, _ command: Command) -> Command {
    Command(
      "nsenter", arguments: ["--net=\(namespace)", command.program] + command.arguments,
      environment: command.environment, input: command.input)
  }

  // MARK: Orders

  /// Sets whether packets are dropped silently in both directions. Packets in transit are lost, too.
  package func setHole(_ isHole: Bool) throws { try order("hole \(isHole ? "on" : "off")") }

  /// Sets whether packets to and from an address are dropped silently.
  package func setHole(_ isHole: Bool, at address: String) throws {
    try order("\(isHole ? "hole" : "open") \(address)")
  }

  /// Changes the delay, in milliseconds per round trip.
  package func setRoundTrip(_ milliseconds: Int) throws { try order("rtt \(milliseconds)") }

  /// Resets the count to zero.
  package func resetCount() throws { try order("reset") }

  /// Returns the traffic since the start, or since the last reset.
  package func count() throws -> Count {
    let json = try JSONValue(parsing: try ask("count"))
    return Count(connections: required(json["connections"]?.integer()), bytes: required(json["bytes"]?.integer()))
  }

  private func order(_ words: String) throws {
    let answer = try ask(words)
    guard answer == "ok" else { throw CommandFailure(description: "the far link: \(answer)") }
  }

  private func ask(_ words: String) throws -> String {
    try lock.withLock {
      try orders.fileHandleForWriting.write(contentsOf: Data("\(words)\n".utf8))
      return nextLine()
    }
  }

  /// Returns the next line; an empty string at the end.
  private func nextLine() -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let read = answers.fileHandleForReading.availableData
      guard !read.isEmpty else { return "" }
      unread += read
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test if the kernel does not allow the link, and gives the reason.
  package static var overAFarLink: Self {
    .enabled(if: FarLink.refusal == nil, "\(FarLink.refusal ?? "there is a far link")")
  }
}
