import FootageBase
import Testing

@testable import FootageMedia

@Suite struct VideoTrackChoiceTests {
  private static func candidate(
    _ codec: FourCharacterCode, _ count: Int, isEnabled: Bool = true
  ) -> VideoTrackChoice.Candidate {
    VideoTrackChoice.Candidate(codec: codec, isEnabled: isEnabled, sampleCount: count)
  }

  @Test(
    arguments: [
      ([], nil), ([candidate("jpeg", 1)], 0),
      // The codec that more players can show.
      ([candidate("hvc1", 3), candidate("avc1", 75)], 1), ([candidate("hev1", 900), candidate("avc3", 300)], 1),
      ([candidate("vp09", 9), candidate("av01", 9), candidate("hvc1", 9)], 2),
      ([candidate("vp09", 9), candidate("av01", 9)], 1), ([candidate("apch", 9), candidate("vp09", 9)], 1),
      ([candidate("mp4v", 9), candidate("apch", 9)], 1), ([candidate("encv", 9), candidate("apch", 9)], 1),
      // A thumbnail.
      ([candidate("jpeg", 1), candidate("avc1", 75)], 1), ([candidate("png ", 1), candidate("mp4v", 75)], 1),
      ([candidate("avc1", 1), candidate("hvc1", 75)], 1), ([candidate("avc1", 75), candidate("avc1", 1)], 0),
      ([candidate("hvc1", 1), candidate("avc1", 1)], 1),
      // What the file shows by default.
      ([candidate("avc1", 75, isEnabled: false), candidate("avc1", 75)], 1),
      ([candidate("avc1", 75, isEnabled: false), candidate("avc1", 20)], 1),
      ([candidate("avc1", 75, isEnabled: false), candidate("hvc1", 75)], 0),
      ([candidate("avc1", 75, isEnabled: false), candidate("avc1", 1)], 0),
      // The most pictures; of nearly equal tracks the first.
      ([candidate("avc1", 75), candidate("avc1", 750)], 1), ([candidate("avc1", 89), candidate("avc1", 100)], 1),
      ([candidate("avc1", 90), candidate("avc1", 100)], 0), ([candidate("avc1", 100), candidate("avc1", 100)], 0),
      ([candidate("avc1", 100), candidate("hvc1", 9), candidate("avc1", 950), candidate("avc1", 1_000)], 2),
      ([candidate("avc1", 2), candidate("avc1", .max)], 1),
    ] as [([VideoTrackChoice.Candidate], Int?)])
  func `the track that most players can show is chosen`(candidates: [VideoTrackChoice.Candidate], best: Int?) {
    #expect(VideoTrackChoice.best(candidates) == best)
  }

  @Test(arguments: ["1", "9", "10", "32"]) func `a track has a number`(text: String) {
    #expect(VideoTrack.number(text).map(String.init) == text)
  }

  @Test(arguments: ["", "0", "01", "33", "-1", "+1", " 1", "1 ", "1.0", "x", "١", "99999999999999999999999"])
  func `and nothing else is one`(text: String) {
    #expect(VideoTrack.number(text) == nil)
  }
}
