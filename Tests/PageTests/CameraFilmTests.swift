import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// The film of a camera in the browser's own player of HLS.
@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct CameraFilmTests {
  private static let pictures = [
    "-f", "lavfi", "-i", "testsrc=size=160x120:rate=25", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000",
    "-t", "4", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-pix_fmt", "yuv420p", "-strict", "-2",
  ]

  /// Films by the options for the sound of their recordings, each of four seconds.
  static let films: [(name: String, sounds: [[String]])] = [
    (
      "AAC, Opus, none, MP3, FLAC and AAC of another rate",
      [
        ["-c:a", "aac"], ["-c:a", "libopus"], ["-an"], ["-c:a", "libmp3lame"], ["-c:a", "flac"],
        ["-c:a", "aac", "-ar", "16000", "-ac", "1"],
      ]
    ),
    ("Opus after none", [["-an"], ["-c:a", "libopus"], ["-c:a", "libopus"], ["-c:a", "aac"]]),
    ("FLAC, and sound alone", [["-c:a", "flac"], ["-vn", "-c:a", "aac"], ["-an"]]),
    ("MP3 and none", [["-c:a", "libmp3lame"], ["-an"]]),
  ]

  /// The pictures of a film that the player has decoded by its end. A browser without a player of HLS has nothing to
  /// show.
  @Test(arguments: films.indices)
  func `a browser's own player shows every picture of a camera's film`(film: Int) async throws {
    let (name, sounds) = Self.films[film]
    try await Scene.play(zone: "UTC", arguments: ["--name-zone", "UTC"]) { scene in
      for (number, sound) in sounds.enumerated() {
        let second = 4 * number
        try await scene.record("front/2026-03-04T05-06-\(second < 10 ? "0" : "")\(second)", made: Self.pictures + sound)
      }
      try await scene.visit("#front@2026-03-04T05:06:00Z")
      for number in sounds.indices {
        let second = 4 * number
        try await scene.waitForRow("front/2026-03-04T05-06-\(second < 10 ? "0" : "")\(second)")
      }
      let canPlay = try await scene.browser.run(
        "return document.createElement('video').canPlayType('application/vnd.apple.mpegurl')")
      guard canPlay.string?.isEmpty == false else {
        print("This browser has no player of HLS.")
        return
      }
      try await scene.browser.run(
        """
        const video = window.film = document.createElement('video');
        Object.assign(video, {muted: true, playbackRate: 2, src: '/cameras/front.m3u8?from=2026-03-04T05:06:00Z&to=2026-03-04T05:07:00Z'});
        document.body.append(video);
        video.addEventListener('error', () => { window.failure = video.error.message; });
        video.play();
        """)
      let shown = try await scene.browser.wait(
        for: "the end",
        "return window.failure ?? (film.ended && film.getVideoPlaybackQuality().totalVideoFrames)")
      let expected = 100 * sounds.count { !$0.contains("-vn") }
      #expect(shown.double == Double(expected), "\(name): \(shown)")
    }
  }
}
