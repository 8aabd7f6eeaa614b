import FootageAnswers
import FootageAPI
import FootageBase
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServer
@testable import FootageLibrary

/// Returns a ready recording with only the facts that lists show.
private func listed(_ path: String, at seconds: Int64, seconds length: Int64) throws -> Recording {
  let path = RelativePath(path)
  guard case .recording(let name) = RecordingName.of(path) else { throw Missing() }
  return Recording(
    path: path, name: name.text, camera: RecordingNaming().meaning(of: name.text).camera, state: .ready,
    start: StartTime(UnixTimestamp(seconds: seconds), .name), duration: Double(length),
    version: FileVersion(device: 1, inode: 2, size: 1_000, modifiedNanoseconds: 0),
    content: Recording.Content(
      tag: "b1946ac92492d2347c6235b4d2611184",
      composition: try #require(Composition(preambleLength: 100, body: [10..<110])), preambleDigest: [1, 2],
      mediaType: .mp4), place: LibraryPaths(recordings: "/r", state: "/s"))
}

private struct Missing: Error {}

/// A camera's recordings over some time, as the handler answers them.
@MainActor
@Suite struct CameraTimelineTests {
  /// Returns a robot with recordings of two seconds each, and a gap.
  private func scene(rules: String? = nil) throws -> RobotScene {
    let scene = try RobotScene(rules: rules)
    for second in ["32", "34", "50"] { try scene.add("front/2026-11-20T10-15-\(second)", Samples.moovLast) }
    try scene.add("loose", Samples.moovLast)
    scene.publish()
    return scene
  }

  private static let day = "from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z"

  private func timeline(
    _ scene: RobotScene, _ target: String, over connection: HeldRequest = HeldRequest()
  ) async throws -> CameraTimeline {
    try #require(CameraTimeline(try await scene.json(target, over: connection)), "\(target)")
  }

  private func moment(_ text: String) throws -> UnixTimestamp { try #require(UnixTimestamp(rfc3339: text)) }

  @Test func `a day has its spans, with the recordings of each`() async throws {
    let scene = try scene()
    let day = try await timeline(scene, "/cameras/front.json?\(Self.day)")
    #expect(day.camera == "front" && day.header.robot?.name == "tin" && day.header.may == [])
    #expect(try day.from == moment("2026-11-20") && day.to == moment("2026-11-21") && day.next == nil)
    #expect(try day.spans.map(\.from) == ["30", "50"].map { try moment("2026-11-20T10:15:\($0)Z") })
    #expect(try day.spans.map(\.to) == ["36", "52"].map { try moment("2026-11-20T10:15:\($0)Z") })
    #expect(day.spans.allSatisfy { !$0.overlaps })
    let rows = try #require(day.spans.first?.recordings)
    #expect(rows.map(\.name) == ["30", "32", "34"].map { "front/2026-11-20T10-15-\($0)" })
    #expect(
      rows.first
        == CameraTimeline.Row(
          name: RobotScene.good, tag: try scene.tag(RobotScene.good), startedAt: try moment("2026-11-20T10:15:30Z"),
          durationMilliseconds: 2_000, state: .ready, shift: 1))
    #expect(try day.first == moment("2026-11-20T10:15:30Z"))
    // The last picture begins its own length before the end.
    let last = try #require(day.last)
    #expect(try (moment("2026-11-20T10:15:51.800Z")..<moment("2026-11-20T10:15:52Z")).contains(last))
  }

  @Test func `the rows have the addresses of films for those who ask`() async throws {
    let scene = try scene()
    let plain = try await timeline(scene, "/cameras/front.json?\(Self.day)")
    let films = try await timeline(scene, "/cameras/front.json?\(Self.day)&rows=films")
    let rows = try #require(films.spans.first?.recordings)
    #expect(plain.spans.flatMap { $0.recordings ?? [] }.allSatisfy { $0.film == nil })
    for row in rows {
      let playlist = try await scene.ask("/recordings/\(row.name).media.m3u8")
      let film = try #require(row.film)
      let text = String(decoding: try await scene.bytes(of: playlist.body), as: UTF8.self)
      #expect(film.utf8.count == 32 && text.contains("\n../../hls/\(film)/0.m4s\n"), "\(text)")
    }
    #expect(Set(rows.map(\.film)).count == rows.count)
    #expect(
      rows.map { row in
        var row = row
        row.film = nil
        return row
      } == plain.spans.first?.recordings)
  }

  @Test func `without rows the spans are the same`() async throws {
    let scene = try scene()
    let whole = try await timeline(scene, "/cameras/front.json?\(Self.day)")
    let bare = try await timeline(scene, "/cameras/front.json?\(Self.day)&rows=0")
    #expect(bare.spans.allSatisfy { $0.recordings == nil })
    #expect(bare.spans.map(\.from) == whole.spans.map(\.from) && bare.spans.map(\.to) == whole.spans.map(\.to))
    #expect(bare.first == whole.first && bare.last == whole.last)
  }

  @Test func `a part of a day is cut at its ends, and nothing is no fault`() async throws {
    let scene = try scene()
    let part = try await timeline(
      scene, "/cameras/front.json?from=2026-11-20T10:15:31.500Z&to=2026-11-20T10:15:33.250Z")
    #expect(part.spans.map(\.from) == [part.from] && part.spans.map(\.to) == [part.to])
    #expect(part.spans.first?.recordings?.count == 2)
    #expect(part.first == part.from)
    // Ten pictures per second.
    #expect(try part.last == moment("2026-11-20T10:15:33.200Z"))
    let empty = try await timeline(scene, "/cameras/front.json?from=2001-01-01&to=2001-01-02")
    #expect(empty.spans.isEmpty && empty.first == nil && empty.last == nil && empty.next == nil)
  }

  @Test func `what is refused or still recorded is in it, and shows no picture`() async throws {
    let scene = try scene()
    let now = try await timeline(scene, "/cameras/rear.json")
    let row = try #require(now.spans.first?.recordings?.first)
    #expect(row.name == RobotScene.growing && row.state == .recording && row.tag == nil && row.shift == nil)
    // The same for the refused file, which is an hour old.
    let rows = try await timeline(scene, "/cameras/front.json").spans.flatMap { $0.recordings ?? [] }
    #expect(rows.map(\.name) == [RobotScene.broken] && rows.map(\.state) == [.refused] && rows.map(\.tag) == [nil])
    #expect(try await timeline(scene, "/cameras/front.json").first == nil)
  }

  @Test func `a timeline is conditional, and goes on when something is recorded`() async throws {
    let scene = try scene()
    let target = "/cameras/front.json?\(Self.day)"
    let answer = try await scene.ask(target)
    let tag = try #require(answer.fields["ETag"])
    #expect(answer.fields["Cache-Control"] == "no-cache" && answer.mediaType == "application/json")
    #expect(try await scene.ask(target, "If-None-Match: \(tag)").status == 304)
    #expect(try await scene.ask(target, method: "HEAD").fields["ETag"] == tag)
    #expect(try await scene.ask("/cameras/front.json?\(Self.day)&rows=0", "If-None-Match: \(tag)").status == 200)
    try scene.add("front/2026-11-20T12-00-00", Samples.moovLast)
    scene.publish()
    #expect(try await scene.ask(target, "If-None-Match: \(tag)").status == 200)
    #expect(try await timeline(scene, target).spans.count == 3)
  }

  @Test func `a camera that there is not, or that is hidden, is not found alike`() async throws {
    let scene = try scene(rules: "front cameras=front\nall cameras=*")
    let (front, all) = (HeldRequest(client: "front"), HeldRequest(client: "all"))
    for target in ["/cameras/rear.json", "/cameras/.json", "/cameras/nobody.json"] {
      let hidden = try await scene.ask(target, over: front)
      #expect(hidden.status == 404 && hidden.code == "not-found", "\(target)")
      let none = try await scene.ask("/cameras/nobody.json", over: all)
      #expect(none.status == 404 && none.detail == hidden.detail && none.fields.keys == hidden.fields.keys)
    }
    #expect(try await scene.ask("/cameras/front.json", over: front).status == 200)
    for target in ["/cameras/rear.json", "/cameras/.json"] {
      #expect(try await scene.ask(target, over: all).status == 200, "\(target)")
    }
    #expect(try await scene.ask("/cameras/front.json", over: front).fields["Cache-Control"] == "private, no-cache")
    // The new rules apply from the next request on.
    try scene.change(to: "front cameras=rear")
    #expect(try await scene.ask("/cameras/front.json", over: front).status == 404)
  }

  /// A recording in each hour of 65 days, as a program walks through them.
  @Test func `more than a month is answered part by part, and the parts together are the whole`() async throws {
    let recordings = try (0..<(24 * 65)).map {
      try listed("c/\($0).mp4", at: Int64($0) * 3_600, seconds: 5_400 - Int64($0 % 3) * 1_800)
    }
    let all = VisibleRecordings(LibrarySnapshot(recordings), of: .all)
    func walk(_ query: TimelineQuery) throws -> [CameraTimeline] {
      var (query, parts): (TimelineQuery, [CameraTimeline]) = (query, [])
      repeat {
        let window = try TimelineWindow(query, now: UnixTimestamp(seconds: 86_400 * 65))
        let header = ListHeader(robot: nil, may: nil)
        parts.append(
          try #require(CameraTimeline(ofCamera: "c", window, in: all, rows: query.rows, header)))
        query.after = parts.last?.next.map { TimelineCursor(text: $0.text) }
      } while query.after != nil && parts.count < 10
      return parts
    }
    let (from, to) = (UnixTimestamp(seconds: 0), UnixTimestamp(seconds: 86_400 * 65))
    let parts = try walk(TimelineQuery(from: from, to: to))
    #expect(parts.map { $0.spans.first?.from.seconds } == [0, 86_400 * 31, 86_400 * 62])
    #expect(parts.allSatisfy { $0.from == from && $0.to == to })
    let names = parts.flatMap { $0.spans.flatMap { ($0.recordings ?? []).map(\.name) } }
    #expect(Set(names) == Set(recordings.map(\.name)))
    // Recordings that extend into two parts are in both.
    #expect(names.count - recordings.count <= 2)
    let whole = try walk(TimelineQuery(from: from, to: to, rows: .none))
    #expect(whole.count == 1)
    #expect(try walk(TimelineQuery(from: from, to: from.advanced(byMilliseconds: 86_400_000 * 31))).count == 1)
  }

  /// 40,000 recordings of a minute each, with a gap after each, as from a motion sensor.
  @Test(arguments: [(TimelineQuery.Rows.listed, 5), (.films, 6), (.none, 2)])
  func `an answer is no longer than two megabytes, and the next one goes on`(
    detail: TimelineQuery.Rows, answers: Int
  ) throws {
    let name = String(repeating: "n", count: 100)
    let recordings = try (0..<40_000).map { try listed("c/\(name)\($0).mp4", at: Int64($0) * 64, seconds: 60) }
    let all = VisibleRecordings(LibrarySnapshot(recordings), of: .all)
    var (lengths, rows, spans): ([Int], Set<String>, Set<UnixTimestamp>) = ([], [], [])
    var query = TimelineQuery(
      from: UnixTimestamp(seconds: 0), to: UnixTimestamp(seconds: 40_000 * 64), rows: detail)
    repeat {
      let window = try TimelineWindow(query, now: UnixTimestamp(seconds: 0))
      let header = ListHeader(robot: nil, may: nil)
      let timeline = try #require(CameraTimeline(ofCamera: "c", window, in: all, rows: detail, header))
      var json = JSONWriter()
      timeline.write(into: &json)
      lengths.append(json.bytes.count)
      rows.formUnion(timeline.spans.flatMap { $0.recordings ?? [] }.map(\.name))
      spans.formUnion(timeline.spans.map(\.from))
      query.after = timeline.next
    } while query.after != nil && lengths.count < 20
    #expect(lengths.count == answers && lengths.allSatisfy { $0 < 2 << 20 }, "\(lengths)")
    #expect(rows.count == (detail == .none ? 0 : 40_000) && spans.count == 40_000)
  }

  /// More recordings than fit, none of which can be left for the next answer.
  @Test func `what overlaps at one moment is told at once, however much it is`() throws {
    let recordings = try (0..<40_000).map { try listed("c/\($0).mp4", at: 5, seconds: 60) }
    let all = VisibleRecordings(LibrarySnapshot(recordings), of: .all)
    let query = TimelineQuery(from: UnixTimestamp(seconds: 10), to: UnixTimestamp(seconds: 20))
    let window = try TimelineWindow(query, now: UnixTimestamp(seconds: 0))
    let timeline = try #require(
      CameraTimeline(ofCamera: "c", window, in: all, rows: .listed, ListHeader(robot: nil, may: nil)))
    #expect(timeline.next == nil && timeline.spans.map { $0.recordings?.count } == [40_000])
  }

  @Test func `which time is meant where nothing is said, and what makes no sense`() throws {
    let now = try moment("2026-11-20T10:15:30.250Z")
    let minute = try moment("2026-11-20T10:16:00Z")
    let day: Int64 = 86_400_000
    #expect(try TimelineWindow(TimelineQuery(), now: now).whole == minute.advanced(byMilliseconds: -day)..<minute)
    // The default range stays the same for the rest of the minute.
    #expect(
      try TimelineWindow(TimelineQuery(), now: now)
        == TimelineWindow(TimelineQuery(), now: now.advanced(byMilliseconds: 20_000)))
    let from = try moment("2026-11-01")
    #expect(try TimelineWindow(TimelineQuery(from: from), now: now).whole == from..<minute)
    #expect(try TimelineWindow(TimelineQuery(to: from), now: now).whole == from.advanced(byMilliseconds: -day)..<from)
    #expect(
      try TimelineWindow(TimelineQuery(to: UnixTimestamp(seconds: 5)), now: now).whole.lowerBound.milliseconds == 0)
    let years = TimelineQuery(from: UnixTimestamp(seconds: 0), rows: .none)
    #expect(try TimelineWindow(years, now: now).part.upperBound.seconds == 400 * 86_400)
    for wrong in [
      TimelineQuery(from: try moment("2026-11-21")), TimelineQuery(to: UnixTimestamp(seconds: 0)),
      TimelineQuery(after: TimelineCursor(text: "5")), TimelineQuery(after: TimelineCursor(text: "x")),
      TimelineQuery(from: from, after: TimelineCursor(from.advanced(byMilliseconds: -1))),
      TimelineQuery(from: from, to: now, after: TimelineCursor(now)),
    ] {
      #expect(throws: ResourceError.self) { try TimelineWindow(wrong, now: now) }
    }
  }

  /// Checks the goal of 120 kB, and the size of each row.
  @Test func `a day of 1440 recordings is short`() throws {
    let recordings = try (0..<1_440).map { index in
      let time = CivilTime(unixSeconds: 1_795_132_800 + Int64(index) * 60)
      return try listed(
        "rear/\(time.rfc3339.prefix(19).replacing(":", with: "-")).mp4", at: time.unixSeconds, seconds: 60)
    }
    #expect(recordings.allSatisfy { $0.name.utf8.count == 24 })
    let all = VisibleRecordings(LibrarySnapshot(recordings), of: .all)
    let from = UnixTimestamp(seconds: 1_795_132_800)
    let window = try TimelineWindow(
      TimelineQuery(from: from, to: from.advanced(byMilliseconds: 86_400_000)), now: UnixTimestamp(seconds: 0))
    let robot = RobotDescription(name: "robot7", zone: "Europe/Berlin", version: "1.2.3")
    let timeline = try #require(
      CameraTimeline(
        ofCamera: "rear", window, in: all, rows: .listed, ListHeader(robot: robot, may: ["keep", "release"])))
    #expect(timeline.spans.count == 1 && timeline.spans[0].recordings?.count == 1_440)
    var json = JSONWriter()
    timeline.write(into: &json)
    #expect(json.bytes.count < 120_000, "\(json.bytes.count)")
    #expect(CameraTimeline(try #require(JSONValue(json.bytes))) == timeline)
  }
}
