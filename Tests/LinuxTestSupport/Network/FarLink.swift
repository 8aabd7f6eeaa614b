/// A network between a robot and an app that is far away: delay, rate, loss, and a black hole.
import FootageBase
import Foundation
import Testing

/// Two network namespaces and a link between them, made by `scripts/tools/far_link.py`, which says more. A process runs
/// in one of them from its start; they are gone with the link and the last of these processes.
package final class FarLink: @unchecked Sendable {
  /// What the link says of itself.
  private struct Place {
    var app: String
    var robot: String
    var seed: UInt64
  }

  /// What has gone over it.
  package struct Count: Hashable, Sendable {
    /// TCP connections that were begun from the app's side.
    package var connections: Int
    /// That have reached the app's side, in packets.
    package var bytes: Int
  }

  private let process: RunningProgram
  private let orders = Pipe()
  private let answers = Pipe()
  private let lock = NSLock()
  private var unread: [UInt8] = []
  private var place: Place?
  private let folder: TemporaryFolder

  /// Of the robot, of IPv4.
  package static let robotAddress = "10.8.0.2"
  /// Of the robot, of IPv6, without brackets.
  package static let robotAddressV6 = "fd08::2"
  /// Of the robot, link-local, with the interface that the app's side reaches it by.
  package static let robotAddressOnLink = "fe80::2%far0"
  /// Of nobody: what is sent there is lost.
  package static let deadAddress = "10.8.0.99"
  /// The same of IPv6.
  package static let deadAddressV6 = "fd08::99"

  private static let script = Checkout.path("scripts/tools/far_link.py")

  /// Why there can be no link on this machine; nil where there can.
  package static let refusal: String? = {
    guard let outcome = try? Command("python3", script, "--check").run() else { return "there is no python3" }
    return outcome.succeeded ? nil : outcome.errors.trimmingCharacters(in: .whitespacesAndNewlines)
  }()

  /// - Parameters:
  ///   - milliseconds: of a round trip.
  ///   - bytesPerSecond: of what the robot sends; nil for no limit.
  ///   - loss: the share of packets that are lost, of both sides.
  ///   - seed: of the loss, which is printed; nil for a new one.
  ///   - hosts: names that the app's side has addresses for, beside its own.
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

  /// The same command on the app's side.
  package func app(_ command: Command) -> Command {
    var command = inside(required(place).app, command)
    // A namespace of mounts of its own, for names that only this side knows.
    command.arguments.insert(
      contentsOf: [
        "unshare", "--mount", "--propagation", "private", "sh", "-c",
        "mount --bind \"$0\" /etc/hosts && exec \"$@\"", folder.path("hosts"),
      ], at: 1)
    return command
  }

  /// The same command on the robot's side.
  package func robot(_ command: Command) -> Command { inside(required(place).robot, command) }

  private func inside(_ namespace: String, _ command: Command) -> Command {
    Command(
      "nsenter", arguments: ["--net=\(namespace)", command.program] + command.arguments,
      environment: command.environment, input: command.input)
  }

  // MARK: Orders

  /// Whether nothing gets through, in either direction, without a word of it; what is on its way is lost, too.
  package func setHole(_ isHole: Bool) throws { try order("hole \(isHole ? "on" : "off")") }

  /// Whether nothing gets through to or from an address.
  package func setHole(_ isHole: Bool, at address: String) throws {
    try order("\(isHole ? "hole" : "open") \(address)")
  }

  /// Changes the delay, in milliseconds of a round trip.
  package func setRoundTrip(_ milliseconds: Int) throws { try order("rtt \(milliseconds)") }

  /// Begins to count anew.
  package func resetCount() throws { try order("reset") }

  /// What has gone over it since the beginning, or since it was last reset.
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

  /// Empty at the end.
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
  /// Skips where the kernel lets nobody make the link, and says so.
  package static var overAFarLink: Self {
    .enabled(if: FarLink.refusal == nil, "\(FarLink.refusal ?? "there is a far link")")
  }
}
