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

  /// - Parameter patience: the time after which the connection gives up on a robot that is away.
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

  /// Opens the recording as the robot lists it. Nothing more is requested until a reader asks for bytes.
  func open() async throws(RobotError) -> Playback {
    try await connection.playback(of: try await connection.recording(Self.name))
  }

  func asset() async throws -> RecordingAsset { try RecordingAsset(try await open(), as: .file) }

  /// - Parameter count: the number of bytes that the next request for bytes brings; later requests bring none.
  func goAway(after count: Int? = nil) {
    robot.failAll(.media, with: .unreachable)
    if let count { robot.fail(.media, with: .cutOff(after: count)) }
  }

  func comeBack() { robot.failAll(.media, with: nil) }
}

extension RobotError {
  /// The error for a robot in memory that is away.
  static let away = RobotError.unreachable("connection refused")
}

/// Returns bytes that differ from place to place, so that each byte shows where it belongs.
func numbered(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 33)
  }
}

/// Checks a condition repeatedly until it holds. Only a defect makes the wait reach its limit.
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
