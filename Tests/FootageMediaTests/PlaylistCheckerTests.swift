/// The checker of playlists finds each of these faults, and none in a right playlist.

import Foundation
import TestSupport
import Testing

@Suite struct PlaylistCheckerTests {
  private static let media = """
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-TARGETDURATION:6
    #EXT-X-PLAYLIST-TYPE:VOD
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MAP:URI="a/init.mp4"
    #EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:00.000Z
    #EXTINF:6.40000,
    a/0.m4s
    #EXTINF:2,
    a/1.m4s
    #EXT-X-DISCONTINUITY
    #EXT-X-MAP:URI="b/init.mp4"
    #EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:01:00.000Z
    #EXTINF:5,
    b/0.m4s
    #EXT-X-ENDLIST

    """

  private static let variants = """
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-STREAM-INF:BANDWIDTH=20000,AVERAGE-BANDWIDTH=10000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=320x180
    x.media.m3u8
    #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9000,CODECS="avc1.64001f",URI="x.iframes.m3u8"

    """

  @Test func `right playlists break no rule`() {
    #expect(PlaylistChecker.violations(in: Self.media) == [])
    #expect(PlaylistChecker.violations(in: Self.variants) == [])
    let keyFrames = Self.media.replacing("#EXT-X-INDEPENDENT-SEGMENTS", with: "#EXT-X-I-FRAMES-ONLY")
    #expect(PlaylistChecker.violations(in: keyFrames) == [])
    // A growing one has no end yet, and may have no segment.
    let growing = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:12\n#EXT-X-PLAYLIST-TYPE:EVENT\n"
    #expect(PlaylistChecker.violations(in: growing) == [])
  }

  @Test(arguments: [
    ("#EXTM3U\n", "#EXTM3U8\n", "first line"), ("#EXT-X-VERSION:7", "#EXT-X-VERSION:5", "version is 5"),
    ("#EXT-X-VERSION:7\n", "", "version is 1"), ("#EXT-X-VERSION:7\n", "#EXT-X-VERSION:7\n#EXT-X-VERSION:7\n", "twice"),
    ("#EXT-X-TARGETDURATION:6\n", "", "no EXT-X-TARGETDURATION"), ("DURATION:6\n", "DURATION:6.5\n", "TARGETDURATION"),
    ("DURATION:6\n", "DURATION:5\n", "the target is 5"), ("EXTINF:6.40000", "EXTINF:6.50000", "the target is 6"),
    ("DURATION:6\n", "DURATION:6\n#EXT-X-TARGETDURATION:6\n", "twice"), ("TYPE:VOD", "TYPE:LIVE", "LIVE"),
    ("#EXT-X-ENDLIST\n", "", "no EXT-X-ENDLIST"), ("#EXTINF:2,", "#EXTINF:2", "no comma"),
    ("#EXTINF:2,", "#EXTINF:0,", "lasts 0"), ("#EXTINF:2,", "#EXTINF:-2,", "EXTINF is -2"),
    ("#EXTINF:2,\n", "", "0 EXTINF"), ("#EXTINF:2,\n", "#EXTINF:2,\n#EXTINF:2,\n", "2 EXTINF"),
    ("a/1.m4s", "a/0.m4s", "listed twice"), ("a/1.m4s", "a/1 .m4s", "no URI"),
    ("#EXT-X-MAP:URI=\"a/init.mp4\"\n", "", "no EXT-X-MAP"), ("MAP:URI=\"a/init.mp4\"", "MAP:URI=a/init.mp4", "no URI"),
    ("#EXT-X-DISCONTINUITY\n", "", "without a discontinuity"), ("#EXT-X-DISCONTINUITY\n", "", "date of segment 2"),
    ("10:01:00.000", "10:00:07.000", "before the end"), ("10:01:00.000Z", "10:01", "no date"),
    ("#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:01:00.000Z\n", "", "no date after"),
    ("#EXTINF:2,", "#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:06.410Z\n#EXTINF:2,", "date of segment 1"),
    ("#EXTINF:2,", "#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:2,", "after the first segment"),
    ("#EXT-X-ENDLIST", "#EXT-X-DISCONTINUITY\n#EXT-X-ENDLIST", "no segment after it"),
    ("#EXT-X-ENDLIST", "#EXT-X-END", "unknown"), ("#EXT-X-ENDLIST\n", "#EXT-X-ENDLIST", "no end"),
    ("a/1.m4s\n", "a/1.m4s\r\n", "control"), ("#EXT-X-ENDLIST", "#EXT-X-ENDLIST\n#EXT-X-ENDLIST", "twice"),
  ])
  func `a fault in a media playlist is found`(right: String, wrong: String, words: String) throws {
    let place = try #require(Self.media.firstRange(of: right))
    let found = PlaylistChecker.violations(in: Self.media.replacingCharacters(in: place, with: wrong))
    #expect(found.contains { $0.contains(words) }, "\(found)")
  }

  @Test(arguments: [
    ("BANDWIDTH=20000,", "", "BANDWIDTH is missing"), ("AVERAGE-BANDWIDTH=10000", "AVERAGE-BANDWIDTH=30000", "AVERAGE"),
    ("CODECS=\"avc1.64001f,mp4a.40.2\"", "CODECS=avc1.64001f", "CODECS is avc1"), ("320x180", "320", "RESOLUTION"),
    ("x.media.m3u8\n", "", "no URI"), (",URI=\"x.iframes.m3u8\"", "", "wrong place"),
    ("#EXT-X-I-FRAME", "#EXT-X-TARGETDURATION:6\n#EXT-X-I-FRAME", "belongs into a media"),
    ("BANDWIDTH=20000,", "BANDWIDTH=20000,BANDWIDTH=20000,", "attribute list"), ("=320x180", "", "attribute list"),
  ])
  func `a fault in a multivariant playlist is found`(right: String, wrong: String, words: String) throws {
    let place = try #require(Self.variants.firstRange(of: right))
    let found = PlaylistChecker.violations(in: Self.variants.replacingCharacters(in: place, with: wrong))
    #expect(found.contains { $0.contains(words) }, "\(found)")
  }

  private static let early = """
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-TARGETDURATION:12
    #EXT-X-PLAYLIST-TYPE:EVENT
    #EXT-X-MAP:URI="init.mp4"
    #EXTINF:6,
    0.m4s

    """

  @Test func `a growing playlist only gets longer`() {
    let later = Self.early + "#EXTINF:7,\n1.m4s\n#EXT-X-ENDLIST\n"
    #expect(PlaylistChecker.violations(in: later, after: Self.early) == [])
    #expect(PlaylistChecker.violations(in: later, after: later) == [])
    for (wrong, words) in [
      (later.replacing("DURATION:12", with: "DURATION:31"), "EXT-X-TARGETDURATION was"),
      (later.replacing("0.m4s", with: "00.m4s"), "line 7 has changed"),
      (later.replacing("EXTINF:6,", with: "EXTINF:6.1,"), "line 6 has changed"),
      (
        later.replacing("#EXT-X-MAP", with: "#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MAP"), "EXT-X-INDEPENDENT-SEGMENTS was"
      ),
      (later.replacing("#EXT-X-MAP", with: "#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-MAP"), "EXT-X-MEDIA-SEQUENCE was"),
      (String(Self.early.dropLast(6)), "not only appended"),
    ] {
      let found = PlaylistChecker.violations(in: wrong, after: Self.early)
      #expect(found.contains { $0.contains(words) }, "\(words): \(found)")
    }
    let more = later.replacing("#EXT-X-ENDLIST\n", with: "#EXTINF:6,\n2.m4s\n")
    #expect(!PlaylistChecker.violations(in: more, after: later).isEmpty)
  }

  @Test func `a bandwidth is that of the fastest segments in a row`() {
    func segments(_ rows: (Int, Double)...) -> [PlaylistChecker.Received] {
      rows.map { PlaylistChecker.Received(bytes: $0.0, seconds: $0.1) }
    }
    // Two kilobytes in four seconds. The short segment alone is too short to count.
    #expect(PlaylistChecker.peak(of: segments((2_000, 4), (9_000, 1), (1_000, 4)), target: 4) == 17_600)
    #expect(PlaylistChecker.peak(of: segments((2_000, 1)), target: 4) == nil)
    #expect(PlaylistChecker.violations(in: Self.variants, of: segments((10_000, 4), (10, 4)), target: 4) == [])
    let found = PlaylistChecker.violations(in: Self.variants, of: segments((10_001, 4), (3_999, 4)), target: 4)
    #expect(found == ["BANDWIDTH is 20000, but the peak is 20002", "AVERAGE-BANDWIDTH is 10000, but it is 14000"])
  }
}
