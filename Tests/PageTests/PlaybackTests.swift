import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// Playing recordings whose tracks do not begin, pause and end together. The page shows every second that has a picture.
@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(10)))
struct PlaybackTests {
  /// Recordings of one camera by the seconds at which they begin, and the seconds in which there are pictures.
  struct Film: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let recordings: [(start: Int, options: [String])]
    let seconds: [Range<Int>]
    /// The seconds of sound without pictures.
    var sounds = 0..<0
    var isSilent = false
  }

  private static let aac = ["-c:a", "aac", "-b:a", "16k", "-ar", "16000"]

  /// Returns the options for a recording with a picture for each tenth of a second.
  private static func options(
    pictures: Int, sound: Int? = nil, videoFilter: String = "null", audioFilter: String = "anull",
    codec: [String] = aac
  ) -> [String] {
    var options = ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=10:duration=\(pictures)"]
    if let sound { options += ["-f", "lavfi", "-i", "sine=frequency=440:duration=\(Double(sound) / 10)"] }
    options += ["-vf", videoFilter, "-fps_mode", "passthrough", "-c:v", "libx264", "-preset", "ultrafast", "-g", "10"]
    options += ["-bf", "0", "-pix_fmt", "yuv420p"]
    return sound == nil ? options : options + ["-af", audioFilter] + codec
  }

  /// Returns the options for a recording of 12 seconds with a gap in both tracks after 6.
  private static func gap(_ seconds: Int) -> [String] {
    options(
      pictures: 12, sound: 120, videoFilter: "setpts='PTS+gte(T,6)*\(seconds)/TB'",
      audioFilter: "asetpts='PTS+gte(T,6)*\(seconds)/TB'")
  }

  static let films = [
    Film(
      testDescription: "sound that ends 1.5 seconds early, twice",
      recordings: [(0, options(pictures: 10, sound: 85)), (10, options(pictures: 10, sound: 85))], seconds: [0..<20]),
    Film(
      testDescription: "30 seconds of pictures with 4 seconds of sound",
      recordings: [(0, options(pictures: 30, sound: 40))], seconds: [0..<30]),
    Film(
      testDescription: "sound that is missing for 10 seconds",
      recordings: [(0, options(pictures: 25, sound: 250, audioFilter: "aselect='lt(t,7)+gt(t,17)'"))],
      seconds: [0..<25]),
    Film(
      testDescription: "sound that begins 5 seconds late",
      recordings: [
        (0, options(pictures: 4, sound: 40)), (4, options(pictures: 10, sound: 50, audioFilter: "asetpts=PTS+5/TB")),
      ], seconds: [0..<14]),
    Film(
      testDescription: "sound that is 34 seconds longer",
      recordings: [(0, options(pictures: 6, sound: 400)), (40, options(pictures: 4, sound: 40))],
      seconds: [0..<6, 40..<44], sounds: 6..<40),
    Film(
      testDescription: "a recording without sound between two with sound",
      recordings: [
        (0, options(pictures: 6, sound: 60)), (6, options(pictures: 6)), (12, options(pictures: 6, sound: 60)),
      ], seconds: [0..<18]),
    Film(testDescription: "a gap of 3 seconds", recordings: [(0, gap(3))], seconds: [0..<6, 9..<15]),
    Film(testDescription: "a gap of 12 seconds", recordings: [(0, gap(12))], seconds: [0..<6, 18..<24]),
    Film(testDescription: "a gap of 30 seconds", recordings: [(0, gap(30))], seconds: [0..<6, 36..<42]),
    Film(
      testDescription: "pictures that pause for 10 seconds while sound goes on",
      recordings: [(0, options(pictures: 25, sound: 250, videoFilter: "select='lt(t,7)+gt(t,17)'"))],
      seconds: [0..<7, 18..<25], sounds: 7..<17),
    Film(
      testDescription: "AAC, then Opus",
      recordings: [
        (0, options(pictures: 8, sound: 80)), (8, options(pictures: 8, sound: 80, codec: ["-c:a", "libopus"])),
      ], seconds: [0..<16]),
    Film(
      testDescription: "AAC of two rates, MP3, FLAC and none",
      recordings: [
        (0, options(pictures: 4, sound: 40)), (4, options(pictures: 4, sound: 40, codec: ["-c:a", "libmp3lame"])),
        (8, options(pictures: 4)), (12, options(pictures: 4, sound: 40, codec: ["-c:a", "flac", "-strict", "-2"])),
        (16, options(pictures: 4, sound: 40, codec: ["-c:a", "aac", "-ar", "48000", "-ac", "2"])),
      ], seconds: [0..<20]),
    Film(
      testDescription: "sound that no film has",
      recordings: [(0, options(pictures: 8, sound: 80, codec: ["-c:a", "pcm_s16le", "-f", "mov"]))], seconds: [0..<8],
      isSilent: true),
  ]

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
      try await scene.browser.run(
        """
        const {video, film} = $player.player.views[0], begin = Date.parse(arguments[0]);
        // Playing goes on without it.
        $film.watchdog.patience = Infinity;
        window.seen = new Set();
        window.passed = new Set();
        setInterval(() => window.passed.add(Math.floor(($player.player.now - begin) / 2000)), 100);
        window.notes = new Set();
        const note = (_, {mediaTime}) => {
          window.seen.add(Math.floor((film.base - begin) / 1000 + mediaTime + 0.001));
          video.requestVideoFrameCallback(note);
        };
        video.requestVideoFrameCallback(note);
        $player.player.watch(what => { if (what === 'note') window.notes.add($player.player.note?.text); });
        """, .string(first))
      try await scene.browser.click("[data-rate='2']")
      try await scene.browser.click("[id='-play']")
      let end = film.seconds.last?.upperBound ?? 0
      do {
        try await scene.browser.wait(
          for: "the end",
          """
          return window.seen.has(arguments[0] - 1) && [...window.notes].includes('End of the recordings');
          """, .number(of: Double(end)))
      } catch {
        let state = try await scene.browser.run(
          "return [($player.player.now - Date.parse(arguments[0])) / 1000, [...window.seen].join()]", .string(first))
        Issue.record("it stands at \(state)")
        throw error
      }
      let seen = Set((try await scene.browser.run("return [...window.seen]").array ?? []).compactMap(\.double))
      for second in film.seconds.joined() {
        #expect(seen.contains(Double(second)), "no picture of second \(second) was shown")
      }
      // The clock does not leap over sound. It is looked at in steps of two seconds.
      let passed = Set((try await scene.browser.run("return [...window.passed]").array ?? []).compactMap(\.double))
      for second in film.sounds where second % 2 == 0 {
        #expect(passed.contains(Double(second / 2)), "the sound of second \(second) was left out")
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
