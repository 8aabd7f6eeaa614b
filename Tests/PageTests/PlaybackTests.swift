import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// Playing recordings whose tracks do not begin, pause and end together. The page shows every second that has a picture.
@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(10)))
struct PlaybackTests {
  /// Recordings of one camera, and what of them has to be seen and heard.
  struct Film: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let recordings: [Recording]
    /// The seconds of which there are pictures, and those that are full of sound.
    let seen: [Range<Int>]
    let heard: [Range<Int>]
    let isSilent: Bool
    let pictureCount: Int

    init(_ json: JSONValue) throws {
      func ranges(_ name: String) -> [Range<Int>] {
        (json[name]?.array ?? []).compactMap { range in
          guard let bounds = range.array?.compactMap(\.double), bounds.count == 2 else { return nil }
          return Int(bounds[0])..<Int(bounds[1])
        }
      }
      testDescription = try #require(json["name"]?.string)
      recordings = try #require(json["recordings"]?.array).map(Recording.init)
      (seen, heard) = (ranges("seen"), ranges("heard"))
      isSilent = json["isSilent"]?.bool ?? false
      pictureCount = Int(try #require(json["count"]?.double))
    }
  }

  /// A recording by the second at which it begins, and how ffmpeg makes it.
  struct Recording: Sendable {
    let start: Int
    let options: [String]

    init(_ json: JSONValue) throws {
      let pictures = try #require(json["pictures"]?.double)
      start = Int(try #require(json["start"]?.double))
      var options = ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=10:duration=\(pictures)"]
      var sound: [String] = []
      if let seconds = json["sound"]?.double {
        options += ["-f", "lavfi", "-i", "sine=frequency=440:duration=\(seconds)"]
        sound = ["-af", json["audioFilter"]?.string ?? "anull"]
        sound += json["codec"]?.array?.compactMap(\.string) ?? ["-c:a", "aac", "-b:a", "16k", "-ar", "16000"]
      }
      options += ["-vf", json["videoFilter"]?.string ?? "null", "-fps_mode", "passthrough", "-c:v", "libx264"]
      let group: Int = json["group"]?.integer() ?? 10
      options += ["-preset", "ultrafast", "-g", "\(group)", "-bf", "0", "-pix_fmt", "yuv420p"]
      self.options = options + sound
    }
  }

  private static func fixture(_ name: String) throws -> String {
    try text(of: Checkout.path("Tests/Fixtures/Playback/\(name)"))
  }

  /// The films, with which scripts/check-browsers.sh tries other browsers.
  static let films: [Film] = {
    guard let text = try? fixture("films.json"), let films = JSONValue(Array(text.utf8))?.array else { return [] }
    return films.compactMap { try? Film($0) }
  }()

  @Test func `there are films to play`() { #expect(Self.films.count >= 14) }

  @Test(arguments: films)
  func `it plays to the end, shows every second with pictures, and can be sought back`(film: Film) async throws {
    let first = "2026-03-04T05:06:00Z"
    try await Scene.play(zone: "UTC", arguments: ["--name-zone", "UTC"]) { scene in
      for recording in film.recordings {
        let name = "front/2026-03-04T05-06-\(recording.start < 10 ? "0" : "")\(recording.start)"
        try await scene.record(name, made: recording.options)
      }
      try await scene.visit("#front@\(first)")
      try await scene.browser.wait(for: "the picture", "return $player.player.views[0]?.film.isThere")
      // Playing goes on without it.
      try await scene.browser.run("$film.watchdog.patience = Infinity;")
      let begin = try await scene.browser.run("return Date.parse(arguments[0])", .string(first))
      // A browser lets nobody listen before somebody has pressed something.
      try await scene.browser.click("[data-rate='2']")
      try await scene.browser.run(try Self.fixture("watch.js"), begin, .bool(true))
      try await scene.browser.wait(for: "sound to listen to", "return window.played.isListening")
      try await scene.browser.click("[id='-play']")
      do {
        try await scene.browser.wait(for: "the end", "return window.played.isAtEnd")
      } catch {
        let report = try await scene.browser.run("return window.played.report()")
        Issue.record("it stands: \(report)")
        throw error
      }
      let report = try await scene.browser.run("return window.played.report()")
      let seen = Set((report["seen"]?.array ?? []).compactMap(\.double))
      for second in film.seen.joined() {
        #expect(seen.contains(Double(second)), "no picture of second \(second) was shown")
      }
      let count = try #require(report["pictures"]?.double), stood = try #require(report["stood"]?.double)
      #expect(Int(count) >= film.pictureCount && report["corrupted"]?.double == 0, "\(count) of \(film.pictureCount)")
      #expect(stood < 2_000, "it stood at \(report["stoodAt"] as Any)")
      // The clock does not leap over sound. It is looked at every tenth of a second.
      var heard: [Int: [Bool]] = [:]
      for each in report["clock"]?.array ?? [] {
        guard let row = each.array, row.count == 3, let second = row[1].double, let isLoud = row[2].bool else {
          continue
        }
        heard[Int(second.rounded(.down)), default: []].append(isLoud)
      }
      for second in film.heard.joined() {
        let (all, loud) = (heard[second] ?? [], (heard[second] ?? []).filter { $0 })
        #expect(
          !loud.isEmpty && loud.count * 2 >= all.count, "sound of second \(second): \(loud.count) of \(all.count)")
      }
      let remark = try await scene.browser.run("return document.querySelector('.remarks').textContent").string
      #expect(remark?.contains("The sound of this recording") == film.isSilent, "\(remark ?? "")")
      try await scene.go(to: "front", "2026-03-04T05:06:01Z")
      try await scene.waitForPicture(past: "2026-03-04T05:06:01.5Z")
    }
  }

  @Test func `standing still is ended and told once`() async throws {
    try await Scene.play(isQuiet: false, zone: "UTC", arguments: ["--name-zone", "UTC"]) { scene in
      try await scene.record("front/2026-03-04T05-06-00", seconds: 30)
      try await scene.visit("#front@2026-03-04T05:06:02Z")
      try await scene.browser.wait(for: "the picture", "return $player.player.views[0]?.film.isThere")
      try await scene.browser.click("[id='-play']")
      try await scene.waitForPicture(past: "2026-03-04T05:06:03Z")
      // The clock of the video stops, as if its decoder had lost its way.
      try await scene.browser.run(
        """
        window.notes = [];
        $player.player.watch(what => { if (what === 'note' && $player.player.note) window.notes.push($player.player.note.text); });
        const {video} = $player.player.views[0], at = video.currentTime;
        const {set} = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'currentTime');
        Object.defineProperty(video, 'currentTime', {configurable: true, get: () => at, set(time) {
          delete video.currentTime;
          set.call(video, time);
        }});
        """)
      try await scene.browser.wait(
        for: "words and the picture after them",
        """
        return window.notes.some(note => note.startsWith('Playback stood still')) && $player.player.now > Date.parse('2026-03-04T05:06:04Z')
          && !document.querySelector('video').paused;
        """)
      let count = try await scene.browser.run(
        "return window.notes.filter(note => note.startsWith('Playback stood still')).length")
      #expect(count.double == 1)
    }
  }
}
