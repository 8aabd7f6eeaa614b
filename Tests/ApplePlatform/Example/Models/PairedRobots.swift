import FootageClient
import Foundation
import Observation

/// The robots that this device is paired with, and what it keeps of them.
@MainActor @Observable
final class PairedRobots {
  typealias Robot = PairingStore.Pairing

  private(set) var all: [Robot] = []
  /// What is kept on this device.
  private(set) var cache: MediaCache?
  /// What a person has to know of all that.
  private(set) var problem: String?
  /// What robots are shown that ask who this is; nil while nobody has chosen one.
  var identity: IdentitySource? { didSet { connections = [:] } }
  /// What was scanned, and is to be paired with.
  var link: PairingLink?

  private let folder = URL.applicationSupportDirectory.appending(path: "Footage")
  private var connections: [Robot.ID: RobotConnection] = [:]

  func open() async {
    do {
      cache = try await Self.openCache(in: folder.appending(path: "Recordings"))
      try read()
    } catch { problem = error.localizedDescription }
  }

  /// - Parameter text: as a robot's console shows it, in a QR code.
  func scan(_ text: String) {
    do { link = try PairingLink(text) } catch { problem = error.localizedDescription }
  }

  func pair(with link: PairingLink) async throws {
    try await RobotConnection.pair(with: link, in: try pairings())
    try read()
  }

  func forget(_ robot: Robot) {
    do {
      _ = try pairings().forget(robot.address)
      connections[robot.id] = nil
      try read()
    } catch { problem = error.localizedDescription }
  }

  /// One for each robot, for as long as the app runs.
  func connection(to robot: Robot) async throws -> RobotConnection {
    if let connection = connections[robot.id] { return connection }
    let connection = try await RobotConnection(
      toPaired: robot.address.description, in: try pairings(), as: identity, cache: cache)
    connections[robot.id] = connection
    return connection
  }

  private func read() throws { all = try pairings().all() }

  private func pairings() throws -> PairingStore { try PairingStore(at: folder) }

  /// It reads its index first.
  @concurrent
  private nonisolated static func openCache(in folder: URL) async throws -> MediaCache {
    try MediaCache(at: folder, quota: .gigabytes(4))
  }
}
