import FootageClient
import Foundation
import Observation

/// The times at which a robot's cameras recorded on one day.
@MainActor @Observable
final class RecordedDay {
  private(set) var cameras: [TimelineModel] = []
  private(set) var failure: (any Error)?
  /// Any moment of the day.
  var day = Date.now

  var interval: DateInterval {
    Calendar.current.dateInterval(of: .day, for: day) ?? DateInterval(start: day, duration: 86_400)
  }

  func load(_ robot: PairedRobots.Robot, from robots: PairedRobots) async {
    do {
      let connection = try await robots.connection(to: robot)
      if cameras.isEmpty {
        cameras = try await connection.cameras().map { TimelineModel(camera: $0.name, of: connection) }
      }
      let interval = interval
      for camera in cameras {
        await camera.load(from: UnixTime(interval.start), to: UnixTime(interval.end))
      }
      failure = nil
    } catch {
      if !Task.isCancelled { failure = error }
    }
  }

  /// Saves one minute of a camera as a file.
  ///
  /// - Returns: the file, which any app can play.
  func clip(
    of camera: String?, from start: Date, _ robot: PairedRobots.Robot, in robots: PairedRobots
  ) async throws -> URL {
    // A camera's name came over the network and may contain anything.
    let file = URL.temporaryDirectory.appending(path: "Clip \(Int(start.timeIntervalSince1970)).mp4")
    let end = start.addingTimeInterval(60)
    try await robots.connection(to: robot).clip(ofCamera: camera, from: start, to: end).download(to: file)
    return file
  }
}
