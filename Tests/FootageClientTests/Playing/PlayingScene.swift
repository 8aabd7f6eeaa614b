/// A robot in memory, a cache in a folder, and players, with which every test of playing begins.
import FootageAPI
import Foundation
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

final class PlayingScene {
  static let name = "front/a b"

  let robot: ScriptedRobot
  let cache: MediaCache?
  let connection: RobotConnection
  private let folder: TemporaryFolder

  init(
    _ content: [UInt8], isCached: Bool = true, folder: TemporaryFolder? = nil, clock: FootageSystem.Clock = .system,
    limits change: (inout MediaCacheLimits) -> Void = { _ in }
  ) throws {
    robot = ScriptedRobot(content)
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    var limits = MediaCacheLimits()
    limits.retryBase = .milliseconds(1)
    change(&limits)
    cache =
      isCached ? try MediaCache(at: folder.path("cache"), quota: 1 << 30, limits: limits, clock: clock) : nil
    connection = RobotConnection(
      try #require(RobotAddress("robot.test")), over: robot, cache: cache, cacheNames: ["robot"], retrying: .immediate
    ) { _ in }
    describe()
  }

  var length: Int { robot.content.count }

  /// Lets the robot describe its recording.
  func describe() {
    robot.state.withLock { state in
      let item = state.item(named: Self.name)
      state.documents[Resource.recording(name: Self.name, .details).target] = (200, item)
    }
  }

  /// Replaces the robot's bytes.
  func replace(_ content: [UInt8]) {
    robot.state.withLock { state in
      state.content = content
      state.version += 1
    }
    describe()
  }

  func misbehave(_ faults: ScriptedRobot.Fault...) { robot.state.withLock { $0.faults += faults } }

  func open() async throws(RobotError) -> Playback { try await connection.playback(of: Self.name) }

  /// Opens the recording as the robot lists it. Nothing more is requested until a reader asks for bytes.
  func openListed() async throws(RobotError) -> Playback {
    try await connection.playback(of: try await connection.recording(Self.name))
  }
}

/// The result of curl for a URL.
struct Fetched {
  /// The exit code of curl; 0 if the body was complete.
  var exitCode: Int32
  var status: Int
  /// The fields of the head, with names in lower case.
  var fields: [String: String]
  var body: [UInt8]
}

func curl(_ url: String, _ arguments: String...) async throws -> Fetched {
  try await curl(url, arguments: arguments)
}

func curl(_ url: String, arguments: [String]) async throws -> Fetched {
  let folder = try TemporaryFolder()
  let command = Command(
    "curl",
    arguments: [
      "--silent", "--max-time", "60", "--output", folder.path("body"), "--dump-header", folder.path("head"),
    ] + arguments + [url])
  let outcome = try await command.finished()
  let head = (try? text(of: folder.path("head"))) ?? ""
  let lines = head.split(whereSeparator: \.isNewline)
  var fields: [String: String] = [:]
  for line in lines.dropFirst() {
    let parts = line.split(separator: ":", maxSplits: 1)
    if parts.count == 2 { fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
  }
  return Fetched(
    exitCode: outcome.status,
    status: lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, fields: fields,
    body: (try? Data(contentsOf: URL(fileURLWithPath: folder.path("body")))).map(Array.init) ?? [])
}
