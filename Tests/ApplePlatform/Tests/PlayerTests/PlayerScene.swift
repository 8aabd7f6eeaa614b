/// A robot in memory, a cache in a folder, and an asset over both.
import AVFoundation
import FootageAVFoundation
import Foundation
import Testing

@testable import FootageCore

final class PlayerScene {
  let robot: MemoryRobot
  let cache: MediaCache
  let connection: RobotConnection
  private let folder = FileManager.default.temporaryDirectory.appending(path: "player-\(UUID().uuidString)")

  /// - Parameter patience: after which a robot that is away is given up.
  init(_ bytes: [UInt8], patience: Duration = .milliseconds(50)) throws {
    robot = MemoryRobot(bytes)
    var limits = MediaCacheLimits()
    limits.retryBase = .milliseconds(1)
    limits.giveUp = patience
    limits.failurePause = .milliseconds(5)
    cache = try MediaCache(at: folder.path(percentEncoded: false), quota: 1 << 30, limits: limits)
    connection = RobotConnection(
      try #require(RobotAddress("robot.test")), over: robot, cache: cache, cacheNames: ["robot"],
      retrying: RetryPolicy(retries: 1, base: .zero, maximum: .zero)
    ) { _ in }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// As the robot lists it: then nothing of it is asked for before somebody reads.
  func open() async throws(RobotError) -> Playback {
    try await connection.playback(of: try await connection.recording(MemoryRobot.name))
  }

  func asset() async throws -> RecordingAsset { try RecordingAsset(try await open(), as: .file) }
}

/// Looks again and again until something holds; what never does is a defect, which a limit ends.
func eventually(
  _ what: String, sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
  _ holds: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(30)
  while try !holds() {
    try #require(ContinuousClock.now < end, "waited in vain for \(what)", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}
