import FootageClient
import Foundation

/// The recording that a person wants to see.
enum Watched: Hashable {
  case listed(RobotRecording, by: PairedRobots.Robot)
  /// A recording on this device, which plays even if its robot is gone.
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

  /// Downloads the whole recording to this device and keeps it.
  @MainActor
  func keep(in robots: PairedRobots) async throws {
    switch self {
    // The queue keeps what it has fetched, and continues when the app is started again.
    case .listed(let recording, let robot):
      await robots.downloads?.add(recording, of: try await robots.connection(to: robot))
    // Keeps the bytes that are on this device, even if the robot is gone.
    case .kept(let entry): try await robots.cache?.keep(entry.key)
    }
  }
}
