/// The code of "Find a moment": cameras and their days, and how to play, cut and show them.

import FootageClient
import Foundation

func cameras(of robot: RobotConnection) async throws -> [String] {
  try await robot.cameras().map { camera in
    let end = camera.isLive ? "now" : camera.to.date.formatted(.iso8601)
    return "\(camera.name ?? "no camera"), from \(camera.from.date.formatted(.iso8601)) to \(end)"
  }
}

/// Returns the times at which a camera recorded on a day of this device's calendar. Between them it did not.
func recordedTimes(of day: Date, by camera: String, of robot: RobotConnection) async throws -> [DateInterval] {
  guard let day = Calendar.current.dateInterval(of: .day, for: day) else { return [] }
  let timeline = try await robot.timeline(camera: camera, in: day)
  return timeline.spans.filter { $0.recordings.contains(where: \.canPlay) }.map(\.dateInterval)
}

@MainActor
func showDay(_ day: DateInterval, of camera: String, on robot: RobotConnection) async -> TimelineModel {
  let timeline = TimelineModel(camera: camera, of: robot)
  await timeline.load(day)
  return timeline
}

/// Returns the recording at a moment that a person has chosen on a timeline, and the second at which to begin.
@MainActor
func open(
  _ moment: Date, on timeline: TimelineModel, of robot: RobotConnection
) async throws -> (playback: Playback, seconds: Double)? {
  guard let found = timeline.part(at: moment), found.part.canPlay else { return nil }
  return (try await robot.playback(of: found.part.name), found.seconds)
}

@MainActor
final class CameraScreen {
  /// The player's URL works for as long as this object is held.
  private let playback: CameraPlayback

  init(_ camera: String, of robot: RobotConnection, from moment: Date, openPlayer: (URL) -> Void) async throws {
    playback = try await robot.playback(ofCamera: camera, from: moment)
    openPlayer(try playback.filmURL())
  }
}

/// - Parameter file: a file in an existing folder.
func saveClip(ofCamera camera: String, _ time: DateInterval, of robot: RobotConnection, as file: URL) async throws {
  try await robot.clip(ofCamera: camera, from: time.start, to: time.end).download(to: file) { progress in
    print("\(progress.received) of \(progress.total) bytes")
  }
}

/// Returns an MP4 of one sample.
func picture(of recording: RobotRecording, at seconds: Double, by robot: RobotConnection) async throws -> Data {
  Data(try await robot.keyFrame(of: recording.name, at: seconds, version: recording.entityTag))
}
