/// The checker of segments and clips finds what is wrong with them.

import TestSupport
import Testing

@testable import FootageMedia

@Suite struct MediaCheckerTests {
  /// A fragment of track 1 with samples of these sizes, in runs.
  private static func segment(
    runs: [[Int]], offsets: [Int], media: Int, flags: Int = 0x200_0000, first: Bytes = []
  ) -> Bytes {
    func moof(_ length: Int) -> Bytes {
      let truns = zip(runs, offsets).flatMap { sizes, offset in
        fullBox(
          "trun", flags: 0x201, be32(sizes.count), be32(length + 8 + offset), sizes.flatMap(be32))
      }
      return box(
        "moof", fullBox("mfhd", be32(1)),
        box(
          "traf", fullBox("tfhd", flags: 0x2_0028, be32(1), be32(100), be32(flags)),
          fullBox("tfdt", version: 1, be64(0)), truns))
    }
    return moof(moof(0).count) + box("mdat", first + zeros(media - first.count))
  }

  private static let initialization = movie([TestTrack(sampleEntry: box("avc1", zeros(78)))])

  @Test func `a right segment breaks no rule`() {
    let segment = Self.segment(runs: [[40, 60]], offsets: [0], media: 100, first: be32(36) + [0x65])
    #expect(
      MediaChecker.violations(
        ofSegment: segment, initialization: Self.initialization, seconds: 0.2, isIndependent: true) == [])
    // Runs with other samples between them, of which the media has few.
    #expect(MediaChecker.violations(ofSegment: Self.segment(runs: [[40], [60]], offsets: [0, 45], media: 105)) == [])
  }

  @Test func `each fault of a segment is found`() {
    func expect(
      _ words: String, _ segment: Bytes, seconds: Double = 0.2, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let found = MediaChecker.violations(
        ofSegment: segment, initialization: Self.initialization, seconds: seconds, isIndependent: true)
      #expect(found.contains { $0.contains(words) }, "\(found)", sourceLocation: sourceLocation)
    }
    let picture = be32(36) + [0x65]
    expect("106 bytes of media for 100", Self.segment(runs: [[40, 60]], offsets: [0], media: 106, first: picture))
    expect("no bytes", Self.segment(runs: [[40, 0, 60]], offsets: [0], media: 100, first: picture), seconds: 0.3)
    expect("neighbours", Self.segment(runs: [[40], [60]], offsets: [0, 40], media: 100, first: picture))
    expect("outside", Self.segment(runs: [[40, 60]], offsets: [1], media: 100, first: picture))
    expect("EXTINF", Self.segment(runs: [[40, 60]], offsets: [0], media: 100, first: picture), seconds: 0.31)
    expect("key frame", Self.segment(runs: [[40, 60]], offsets: [0], media: 100, flags: 0x101_0000, first: picture))
    // A slice of a picture that depends on others, whatever its flags are.
    expect("no decoder", Self.segment(runs: [[40, 60]], offsets: [0], media: 100, first: be32(36) + [0x41, 0x9A]))
    expect("no fragment", box("moof"))
    expect("follow", Self.segment(runs: [[40, 60]], offsets: [0], media: 100, first: picture) + [0, 0, 0, 9])
  }

  @Test func `a clip has what its tables list`() {
    func clip(_ media: Int) -> Bytes {
      movie([
        TestTrack(tables: tables(sizes: [40, 60], perChunk: 2, offsets: [0])),
        TestTrack(
          id: 2, tables: table("stts", []) + table("stsc", []) + fullBox("stsz", be32(10), be32(5)) + table("stco", [])),
      ]) + box("mdat", zeros(media))
    }
    #expect(MediaChecker.violations(ofClip: clip(150)) == [])
    #expect(MediaChecker.violations(ofClip: clip(157)) == [])
    #expect(MediaChecker.violations(ofClip: clip(158)) == ["it has 158 bytes of media for 150 of samples"])
    #expect(MediaChecker.violations(ofClip: clip(140)) == ["its samples have 150 bytes, and its media 140"])
  }
}
