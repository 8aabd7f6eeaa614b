import FootageClient
import Foundation

/// What somebody wants to see.
enum Watched: Hashable {
  case listed(RobotRecording, by: PairedRobots.Robot)
  /// Whatever became of its robot.
  case kept(MediaCache.Entry)

  var start: Date? {
    switch self {
    case .listed(let recording, _): recording.startDate
    case .kept(let entry): entry.recording?.startDate
    }
  }

  @MainActor
  func model(in robots: PairedRobots) async throws -> PlaybackModel? {
    switch self {
    case .listed(let recording, let robot): PlaybackModel(recording, of: try await robots.connection(to: robot))
    case .kept(let entry): robots.cache.map { PlaybackModel(entry.key, in: $0) }
    }
  }

  /// Has all of it come to this device, and stay.
  @MainActor
  func keep(in robots: PairedRobots) async throws {
    switch self {
    // The queue keeps what it has fetched, and goes on with it when the app is started again.
    case .listed(let recording, let robot):
      await robots.downloads?.add(recording, of: try await robots.connection(to: robot))
    // As much as is here, whatever became of its robot.
    case .kept(let entry): try await robots.cache?.keep(entry.key)
    }
  }
}
