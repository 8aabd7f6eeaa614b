import FootageClient
import Foundation

/// The state that all commands share: the paired robots, and one cache for all of them.
struct Viewer: Sendable {
  let home: Home
  let pairings: PairingStore
  let cache: MediaCache

  init(_ home: Home) async throws {
    self.home = home
    pairings = try PairingStore(at: home.folder)
    cache = try MediaCache(at: home.cache, quota: try home.quota())
    if let problem = await cache.folderProblem { note("Nothing is kept: \(problem.localizedDescription)") }
  }

  /// Returns the robot that `--robot` names by its name or address, or else the only one.
  func pairing(_ arguments: Arguments) throws -> PairingStore.Pairing {
    let paired = try pairings.all()
    if let name = arguments.option("robot") {
      guard let robot = paired.first(where: { $0.name == name || $0.address.description == name }) else {
        throw Misuse("nobody has paired with \(name)")
      }
      return robot
    }
    guard let robot = paired.first else { throw Misuse("pair with a robot first") }
    guard paired.count == 1 else {
      throw Misuse("which robot? --robot " + paired.map(\.title).joined(separator: ", --robot "))
    }
    return robot
  }

  /// Connects to the robot without sending anything yet, so that recordings on this device play without the robot.
  func robot(_ arguments: Arguments) async throws -> RobotConnection {
    let connection = try await RobotConnection(
      toRobot: pairing(arguments), in: pairings, as: home.identity(), cache: cache)
    // Ends with the connection.
    Task { [events = connection.events()] in
      for await event in events { note(printable("\(event)")) }
    }
    return connection
  }

  /// Returns the cache's entry for a recording, without any robot.
  func entry(_ name: String, _ arguments: Arguments) async throws -> MediaCache.Entry {
    let key = RecordingKey(robot: try pairing(arguments).id, name: name)
    guard let entry = await cache.recordingsOnThisDevice().first(where: { $0.key == key }) else {
      throw Misuse("\(printable(name)) is not on this device")
    }
    return entry
  }
}

extension PairingStore.Pairing {
  /// The name by which the commands accept the robot.
  var title: String { printable(name ?? address.description) }
}
