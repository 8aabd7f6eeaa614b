import FootageClient
import Foundation

extension Command {
  static let ofMoments = [
    Command(name: "day", parameters: "CAMERA YYYY-MM-DD", purpose: "when a camera recorded", run: day),
    Command(
      name: "watch", parameters: "CAMERA MOMENT", purpose: "plays on from a moment while input lasts", run: watch),
    Command(name: "clip", parameters: "CAMERA FROM TO FILE", purpose: "a time of a camera as one MP4", run: clip),
    Command(name: "cut", parameters: "NAME FROM TO FILE", purpose: "seconds of a recording as one MP4", run: cut),
    Command(name: "picture", parameters: "NAME SECONDS FILE", purpose: "the key frame there as an MP4", run: picture),
  ]

  private static func day(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let camera = try arguments.next("the camera")
    let day = try day(arguments.next("the day"))
    let timeline = try await viewer.robot(arguments).timeline(camera: camera, in: day)
    for span in timeline.spans {
      tell("\(span.from) to \(span.to)")
      for part in span.recordings {
        tell("  \(printable(part.name)), \(part.duration) s\(part.canPlay ? "" : ", cannot be played")")
      }
    }
    if timeline.spans.isEmpty { tell("Nothing was recorded then.") }
  }

  /// Serves until the input ends, and prints which recording contains the moment.
  private static func watch(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let camera = try arguments.next("the camera")
    let from = try moment(arguments.next("the moment"))
    let robot = try await viewer.robot(arguments)
    let timeline = await TimelineModel(camera: camera, of: robot)
    await timeline.load(DateInterval(start: from.date, duration: 1))
    if let error = await timeline.error { throw error }
    if let found = await timeline.part(at: from) {
      tell("\(printable(found.part.name)) at second \(found.seconds)")
    } else {
      note("Nothing was recorded just then: it begins with what comes next.")
    }
    let playback = try await robot.playback(ofCamera: camera, from: from)
    tell("HLS players: \(try playback.filmURL())")
    for await _ in typedLines() {}
    withExtendedLifetime(playback) {}
  }

  private static func clip(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let camera = try arguments.next("the camera")
    let from = try moment(arguments.next("the beginning"))
    let to = try moment(arguments.next("the end"))
    let file = try arguments.file()
    let robot = try await viewer.robot(arguments)
    try await robot.clip(ofCamera: camera, from: from, to: to).download(to: file) { note(percent($0)) }
    tell(file.path)
  }

  private static func cut(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let name = try arguments.next("the recording's name")
    let from = try arguments.seconds("the first second")
    let to = try arguments.seconds("the end's second")
    guard from < to else { throw Misuse("the end comes before the beginning") }
    let file = try arguments.file()
    try await viewer.robot(arguments).playback(of: name).exportClip(seconds: from..<to, to: file)
    tell(file.path)
  }

  private static func picture(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let name = try arguments.next("the recording's name")
    let seconds = try arguments.seconds("the second")
    let file = try arguments.file()
    try await Data(viewer.robot(arguments).keyFrame(of: name, at: seconds)).write(to: file)
    tell(file.path)
  }

  private static func moment(_ text: String) throws -> UnixTime {
    guard let moment = UnixTime(rfc3339: text) else {
      throw Misuse("\(text) is no moment, such as 2026-11-20T10:15:30Z")
    }
    return moment
  }

  /// Returns a day of this device's calendar.
  private static func day(_ text: String) throws -> DateInterval {
    let format = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
    guard let day = Calendar.current.dateInterval(of: .day, for: try Date(text, strategy: format)) else {
      throw Misuse("\(text) is no day")
    }
    return day
  }
}
