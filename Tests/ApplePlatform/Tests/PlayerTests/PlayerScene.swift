/// A robot in memory, a cache in a folder, and an asset over both.
import FootageClient
import FootageClientTesting
import FootageCore
import Foundation
import Testing

final class PlayerScene {
  static let name = "front/a b"

  let robot: InMemoryRobot
  let connection: RobotConnection
  private let folder = FileManager.default.temporaryDirectory.appending(path: "player-\(UUID().uuidString)")

  /// - Parameter patience: after which a robot that is away is given up.
  init(_ bytes: [UInt8], patience: Duration = .milliseconds(50)) throws {
    robot = InMemoryRobot([Self.recording(bytes)])
    var limits = MediaCacheLimits()
    limits.retryBase = .milliseconds(1)
    limits.giveUp = patience
    limits.failurePause = .milliseconds(5)
    let cache = try MediaCache(at: folder.path(percentEncoded: false), quota: 1 << 30, limits: limits)
    connection = robot.connection(cache: cache)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static func recording(_ bytes: [UInt8]) -> SampleRecording {
    SampleRecording(RobotRecording(name: name, startedAt: UnixTime(seconds: 1_795_169_730)), bytes: bytes)
  }

  /// As the robot lists it: then nothing of it is asked for before somebody reads.
  func open() async throws(RobotError) -> Playback {
    try await connection.playback(of: try await connection.recording(Self.name))
  }

  func asset() async throws -> RecordingAsset { try RecordingAsset(try await open(), as: .file) }

  /// - Parameter count: what the next request for bytes brings; those after it bring nothing.
  func goAway(after count: Int? = nil) {
    robot.failAll(.media, with: .unreachable)
    if let count { robot.fail(.media, with: .cutOff(after: count)) }
  }

  func comeBack() { robot.failAll(.media, with: nil) }
}

extension RobotError {
  /// What is said of a robot in memory that is away.
  static let away = RobotError.unreachable("connection refused")
}

/// Bytes of which each has its place.
func numbered(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 33)
  }
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
