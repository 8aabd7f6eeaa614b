internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The playback of `footage play --camera`: a camera's footage of a period in a player, recording by recording. Each
/// recording comes from the cache and the robot, like one that is played by its name.
struct CameraPlay: Sendable {
  /// A part of the playback. Its URL is valid for as long as this value is held.
  struct Part: Sendable {
    let source: Source
    let url: String
  }

  enum Source: Sendable {
    case recording(Playback)
    /// A growing recording, up to its current end.
    case growing(CameraPlayback)
  }

  let parts: [Part]
  /// The playbacks of the parts that are recordings.
  var playbacks: [Playback] {
    parts.compactMap { if case .recording(let playback) = $0.source { playback } else { nil } }
  }
  /// The URL or path under which a player finds all parts, one after the other.
  let url: String
  /// The folder of the playlist if there are several parts; nil for one part.
  private let folder: ScratchFolder?

  /// The longest time that is played, in milliseconds.
  private static let longest: Int64 = 7_200_000
  /// The maximum number of recordings that are opened at the same time.
  private static let mostParts = 64

  /// Opens the recordings of a camera in a period.
  ///
  /// - Parameters:
  ///   - camera: empty for the recordings without a camera.
  ///   - bounds: the period, which must have a beginning. At most its first two hours are played.
  init(_ camera: String, _ bounds: FilterOptions.Bounds, _ access: RobotAccess) async throws(CommandFailure) {
    guard let from = bounds.since else { throw .usage(UsageError("--from TIME is required")) }
    let now = UnixTimestamp(nanoseconds: Clock.system.unixNanoseconds)
    let end = min(bounds.until ?? now, from.advanced(byMilliseconds: Self.longest))
    guard from < end else { throw .failed("--from is in the future: give an earlier time") }
    let name = camera.isEmpty ? nil : camera
    let timeline: RobotTimeline
    do throws(RobotError) {
      timeline = try await access.robot.timeline(camera: name, from: UnixTime(from), to: UnixTime(end))
    } catch { throw .failed(access.words(for: error)) }
    let wanted = Self.parts(of: timeline, from..<end)
    guard let first = wanted.first else {
      throw .failed(
        "camera '\(camera)' recorded nothing playable at that time: footage list --robot --cameras shows when it did")
    }
    if first.from > from {
      Terminal.error("the first recording of that time begins at \(MomentText.text(first.from, in: bounds.zone))\n")
    }
    if wanted.count > Self.mostParts {
      let last = MomentText.text(wanted[Self.mostParts].from, in: bounds.zone)
      Terminal.error("\(wanted.count) recordings are too many at once: playback ends at \(last)\n")
    }
    var parts: [Part] = []
    for part in wanted.prefix(Self.mostParts) {
      do throws(RobotError) { parts.append(try await Self.opened(part, ofCamera: name, access.robot)) } catch {
        throw .failed(access.words(for: error))
      }
    }
    self.parts = parts
    guard parts.count > 1 else {
      (url, folder) = (parts[0].url, nil)
      return
    }
    do throws(StorageError) {
      let folder = try ScratchFolder()
      let list = "\(folder.path)/\(ClipName.text(robot: nil, camera: "film", from: from, bounds.zone)).m3u"
      let lines = ["#EXTM3U"] + parts.map(\.url)
      let file = try TemporaryFile(in: folder.path)
      try file.append(BoundComposition(Array("\(lines.joined(separator: "\n"))\n".utf8)))
      try file.rename(replacing: list)
      (url, self.folder) = (list, folder)
    } catch { throw .failed(error.description) }
  }

  private static func opened(
    _ part: Timeline<RobotTimeline.Part>.Part, ofCamera camera: String?, _ robot: RobotConnection
  ) async throws(RobotError) -> Part {
    if part.recording.state == .ready {
      let playback = try await robot.playback(of: part.recording.name)
      return Part(source: .recording(playback), url: try url(of: playback, part))
    }
    let film = try await robot.playback(ofCamera: camera, from: UnixTime(part.from), to: UnixTime(part.to))
    do throws(MediaCacheError) { return Part(source: .growing(film), url: try film.filmLink()) } catch {
      throw .cache(error)
    }
  }

  /// Returns the parts of the timeline that can be played, so that each moment belongs to one recording.
  private static func parts(
    of timeline: RobotTimeline, _ range: Range<UnixTimestamp>
  ) -> [Timeline<RobotTimeline.Part>.Part] {
    let entries = timeline.spans.flatMap(\.recordings).filter { $0.canPlay }.map { part in
      let start = UnixTimestamp(part.startedAt)
      let length = Int64(min(max(part.duration, 0), 1e9) * 1_000)
      return Timeline.Entry(part, from: start, to: start.advanced(byMilliseconds: length))
    }
    return Timeline(entries, in: range).parts
  }

  /// Returns the URL of a whole recording, or of a clip of it.
  private static func url(
    of playback: Playback, _ part: Timeline<RobotTimeline.Part>.Part
  ) throws(RobotError) -> String {
    let start = UnixTimestamp(part.recording.startedAt).milliseconds
    let (from, to) = (part.from.milliseconds - start, part.to.milliseconds - start)
    let length = Int64(part.recording.duration * 1_000)
    do throws(MediaCacheError) {
      guard from > 0 || to < length else { return try playback.playerLink() }
      return
        "\(try playback.filmLink().dropLast(".m3u8".count)).mp4?start=\(Self.seconds(from))&end=\(Self.seconds(to))"
    } catch { throw .cache(error) }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    let rest = String(milliseconds % 1_000)
    return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
  }
}
