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
  func open(in robots: PairedRobots) async throws -> Playback? {
    switch self {
    case .listed(let recording, let robot): try await robots.connection(to: robot).playback(of: recording.name)
    case .kept(let entry): try await robots.cache?.playback(of: entry.key)
    }
  }
}
