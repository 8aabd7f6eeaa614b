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
  /// What is to be on this device. It goes on where it was when the app ended.
  private(set) var downloads: DownloadQueue?
  /// What a person has to know of all that.
  private(set) var problem: String?
  /// What robots are shown that ask who this is; nil while nobody has chosen one.
  var identity: IdentitySource? { didSet { reconnect() } }
  /// What was scanned, and is to be paired with.
  var link: PairingLink?

  private let folder = URL.applicationSupportDirectory.appending(path: "Footage")
  private var connections: [Robot.ID: RobotConnection] = [:]

  func open() async {
    do {
      let cache = try await Self.openCache(in: folder.appending(path: "Recordings"))
      self.cache = cache
      downloads = await DownloadQueue(in: cache)
      try await read()
      await connectDownloads()
    } catch { problem = error.localizedDescription }
  }

  /// - Parameter text: as a robot's console shows it, in a QR code.
  func scan(_ text: String) {
    do { link = try PairingLink(text) } catch { problem = error.localizedDescription }
  }

  func pair(with link: PairingLink) async throws {
    try await RobotConnection.pair(with: link, in: try pairings())
    try await read()
  }

  func forget(_ robot: Robot) async {
    do {
      try await Self.forget(robot.address, in: try pairings())
      disconnect(robot.id)
      try await read()
    } catch { problem = error.localizedDescription }
  }

  /// One for each robot, for as long as the app runs. It finds the robot by its key, wherever that is.
  func connection(to robot: Robot) async throws -> RobotConnection {
    if let connection = connections[robot.id] { return connection }
    let connection = try await RobotConnection(toRobot: robot, in: try pairings(), as: identity, cache: cache)
    // Another screen may have made one meanwhile.
    if let other = connections[robot.id] { return other }
    connections[robot.id] = connection
    await downloads?.connect(connection)
    return connection
  }

  /// Has what is to be on this device come.
  private func connectDownloads() async {
    // What is not in order with a robot is told where that is opened.
    for robot in all { _ = try? await connection(to: robot) }
  }

  private func disconnect(_ id: Robot.ID) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    Task { [downloads] in await downloads?.disconnect(connection) }
  }

  private func reconnect() {
    for id in connections.keys { disconnect(id) }
    Task { await connectDownloads() }
  }

  private func read() async throws { all = try await Self.robots(in: try pairings()) }

  private func pairings() throws -> PairingStore { try PairingStore(at: folder) }

  // What waits for the disk, away from the screen.

  @concurrent
  private nonisolated static func robots(in pairings: PairingStore) async throws -> [Robot] { try pairings.all() }

  @concurrent
  private nonisolated static func forget(_ address: RobotAddress, in pairings: PairingStore) async throws {
    _ = try pairings.forget(address)
  }

  @concurrent
  private nonisolated static func openCache(in folder: URL) async throws -> MediaCache {
    try MediaCache(at: folder, quota: .gigabytes(4))
  }
}
