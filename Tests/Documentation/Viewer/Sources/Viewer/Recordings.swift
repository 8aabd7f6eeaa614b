import FootageClient
import Foundation

extension Command {
  static let ofRecordings = [
    Command(name: "cameras", parameters: "", purpose: "of a robot", run: cameras),
    Command(name: "list", parameters: "[CAMERA]", purpose: "what a robot recorded, the newest first", run: list),
    Command(
      name: "play", parameters: "NAME [--from SECONDS]", purpose: "serves it to players while input lasts", run: play),
    Command(name: "save", parameters: "NAME FILE", purpose: "downloads it past the cache", run: save),
  ]

  private static func cameras(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    for camera in try await viewer.robot(arguments).cameras() {
      let name = printable(camera.name ?? "no camera")
      tell("\(name)  \(camera.from)  \(camera.isLive ? "now" : "\(camera.to)")  \(camera.recordingCount) recordings")
    }
  }

  private static func list(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let camera = arguments.nextIfAny()
    var listedAt: UnixTime?
    for try await recording in try await viewer.robot(arguments).recordings(camera: camera) {
      listedAt = listedAt ?? recording.listedAt
      var line = "\(printable(recording.name))  \(recording.startedAt)  "
      line += recording.duration.map { "\($0.formatted(.number.precision(.fractionLength(1)))) s" } ?? "? s"
      line += "  \(size(recording.size))  \(words(for: recording.state))"
      tell(recording.isKeptByRobot ? line + ", kept by the robot" : line)
    }
    if let listedAt { note("The robot is away: this is what it listed at \(listedAt).") }
  }

  /// Serves until the input ends. Each line is a second to which the player is about to seek.
  private static func play(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let playback = try await viewer.robot(arguments).playback(of: arguments.next("the recording's name"))
    let watching = Task { [states = playback.states()] in
      var last = ""
      for await state in states {
        let words = words(for: state)
        if words != last { note(words) }
        last = words
      }
    }
    defer { watching.cancel() }
    if let from = arguments.option("from") { try await prepare(playback, from) }
    tell("any player:  \(try playback.playerURL())")
    tell("HLS players: \(try playback.filmURL())")
    for await line in typedLines() { try await prepare(playback, line) }
    // The URLs are valid only while the playback exists, and Swift may release it after its last use.
    withExtendedLifetime(playback) {}
  }

  private static func prepare(_ playback: Playback, _ typed: String) async throws {
    guard let seconds = Double(typed), seconds >= 0, seconds.isFinite else {
      return note("\(printable(typed)) is no number of seconds")
    }
    try await playback.preload(around: seconds)
    tell("Plays from second \(typed) on at once.")
  }

  private static func save(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let name = try arguments.next("the recording's name")
    let file = try arguments.file()
    try await viewer.robot(arguments).download(name, to: file) { note(percent($0)) }
    tell(file.path)
  }
}
