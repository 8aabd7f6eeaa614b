import FootageClient
import Foundation
import Observation

/// The robots that this device is paired with, and their recordings on this device.
@MainActor @Observable
final class PairedRobots {
  typealias Robot = PairingStore.Pairing

  private(set) var all: [Robot] = []
  /// The recordings that are cached on this device.
  private(set) var cache: MediaCache?
  /// The downloads to this device. They continue where they stopped when the app ended.
  private(set) var downloads: DownloadQueue?
  /// The problem that the app should show to a person; nil if there is none.
  private(set) var problem: String?
  /// The identity that the app shows to robots that ask for one; nil until a person has chosen one.
  var identity: IdentitySource? { didSet { reconnect() } }
  /// The scanned link of the robot to pair with.
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

  /// - Parameter text: the text of the QR code on a robot's console.
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

  /// Returns the connection to a robot. There is one for each robot while the app runs; it finds the robot by its key,
  /// at any address.
  func connection(to robot: Robot) async throws -> RobotConnection {
    if let connection = connections[robot.id] { return connection }
    let connection = try await RobotConnection(toRobot: robot, in: try pairings(), as: identity, cache: cache)
    // Another screen may have made a connection meanwhile.
    if let other = connections[robot.id] { return other }
    connections[robot.id] = connection
    await downloads?.connect(connection)
    return connection
  }

  /// Connects all robots, so that their downloads can continue.
  private func connectDownloads() async {
    // A robot's problems appear on the screen that opens the robot.
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

  // Work that waits for the disk, off the main thread.

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
