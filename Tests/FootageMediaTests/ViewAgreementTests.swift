/// The views of each recorder's file, which show the same pictures at the same times, as ffprobe reads the file.

import FootageBase
import Foundation
import TestSupport
import Testing

@testable import FootageMedia

@Suite struct ViewAgreementTests {
  /// Two clocks of different timescales agree to within this, in seconds.
  private static let tolerance = 0.002

  /// All files of `Tests/Fixtures/Recordings` whose first video track is the one that is shown.
  private static let names = [
    "begins-at-3", "begins-at-5.5", "edit-ends-early", "empty-sample", "gap-30-s", "gap-30-s-live", "gap-8-hours",
    "group-of-250-s", "hybrid-growing", "negative-delta", "no-flags", "plain-fragments", "sound-ends-early",
    "spherical",
    "wild-end", "wild-middle",
  ]

  /// Checks that pictures are those that are expected, all of them shifted by the same time.
  ///
  /// - Parameter isPart: true if there may be more of them, which an edit list of the source hides.
  private func expectSame(
    _ shown: [Presentation.Shown], _ expected: [Presentation.Shown], _ words: String, isPart: Bool = false
  ) {
    let hashes = Set(expected.map(\.hash))
    let found = isPart ? shown.filter { hashes.contains($0.hash) } : shown
    #expect(found.map(\.hash) == expected.map(\.hash), "\(words): \(found.count) of \(expected.count)")
    guard let one = found.first, let other = expected.first else { return }
    let shift = one.time - other.time
    let wrong = zip(found, expected).filter { abs($0.time - $1.time - shift) > Self.tolerance }
    #expect(wrong.isEmpty, "\(words): \(wrong.prefix(2)), \(wrong.count)")
  }

  @Test(arguments: names)
  func `all views show the pictures of the recorder at its times`(name: String) throws {
    let recording = try RecorderCase(name)
    let source = try recording.source()
    let pictures = source.pictures
    let first = try #require(pictures.first)
    // Without sound and edit list, the beginning of `wild-end` is when its first picture is decoded.
    let beginning = name == "wild-end" ? first.time - 0.08 : min(first.time, source.sound.first?.time ?? first.time)

    // The recording.
    let served = try recording.served()
    expectSame(served.pictures, pictures, "mp4")
    #expect(try abs(#require(served.pictures.first).time - (first.time - beginning)) < 0.05)
    // Its film.
    expectSame(try recording.filmed().pictures, pictures, "film", isPart: name == "edit-ends-early")

    // A clip of a second, from between two pictures on.
    let shown = served.pictures
    let start = shown[shown.count / 2].time - 0.01
    let end = start + min(1, try #require(shown.last).time - start)
    let clip = try recording.clip(start, end)
    let inside = pictures.indices.filter { shown[$0].time > start && shown[$0].time < end }
    #expect(clip.pictures.map(\.hash) == pictures[((inside.first ?? 0) - 1)...(inside.last ?? 0)].map(\.hash))

    // The key frame at that time. Of the file without flags ffprobe does not know the key frames.
    let all = try RecorderCase.decoded(recording.write(recording.bytes, "source.mp4"))
    let key = pictures.indices.last { pictures[$0].isKey && shown[$0].time <= start } ?? 0
    let frame = try recording.keyFrame(String(format: "%.3f", start))
    #expect(frame.count == 1 && all.contains(frame.first ?? ""))
    if name != "no-flags" { #expect(frame.first == all[key], "not picture \(key)") }

    // The timeline of the recording and that of its index.
    let length = max(try #require(pictures.last).time, source.sound.last?.time ?? 0) - beginning
    let read = MovieTimeline.read(
      MemoryByteSource(recording.index.served(from: recording.bytes)), available: { _ in true }, limit: 1 << 20)
    guard case .ready(let timeline) = read else {
      Issue.record("no timeline")
      return
    }
    let indexed = try MovieTimeline(recording.film.index, recording.film.source)
    for (words, duration) in [
      ("timeline", timeline.duration), ("timeline of the index", indexed.duration), ("list", recording.duration),
    ] {
      #expect(duration > length && duration < length + (name == "group-of-250-s" ? 1.1 : 0.15), "\(words): \(duration)")
    }

    // What `inspect` lists.
    let listed = try Self.listed(recording.bytes)
    // ffprobe does not read on where the edit list ends, and passes over a picture without bytes.
    let known = pictures.count + source.hiddenPictures + (name == "empty-sample" ? 1 : 0)
    #expect(name == "edit-ends-early" ? listed.count >= known : listed.count == known, "\(listed.count), not \(known)")
    let visible = listed.filter { $0 > -Self.tolerance }.prefix(pictures.count)
    #expect(zip(visible, pictures).allSatisfy { abs($0 - ($1.time - beginning)) < 0.05 }, "\(visible.prefix(3))")
    let inspection = Inspection.of(MemoryByteSource(recording.bytes))
    #expect(inspection.verdict == .ready(recording.index))
    #expect(inspection.tracks.first { $0.handler == "vide" }?.summary.sampleCount == listed.count)
  }

  @Test(arguments: [
    "begins-at-3", "begins-at-5.5", "gap-30-s", "gap-30-s-live", "gap-8-hours", "hybrid-growing", "no-flags",
    "plain-fragments", "wild-middle",
  ])
  func `a film that grows shows the pictures of the recorder at its times`(name: String) throws {
    let recording = try RecorderCase(name)
    guard !BoxBytes(recording.bytes).all("moof").isEmpty else { return }
    var growing = try GrowingRecording(recording.bytes)
    while try growing.growByFragment() {}
    _ = try #require(try growing.finish())
    let film = try Presentation(of: recording.write(growing.film(), "growing.mp4"))
    expectSame(film.pictures, try recording.source().pictures, "growing film")
  }

  /// Returns the times of the pictures that `inspect` lists, in seconds.
  private static func listed(_ bytes: Bytes) throws -> [Double] {
    let source = MemoryByteSource(bytes)
    var listing = try SampleListing(of: source, .init(isJSON: true, hasKeysOnly: false))
    var times: [Double] = []
    while listing.position != nil {
      for line in String(decoding: try listing.next(1_000, from: source), as: UTF8.self).split(separator: "\n") {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        if object["track"] as? Int == 1 { times.append(try #require(object["pts"] as? Double)) }
      }
    }
    return times.sorted()
  }

  /// Boxes beside the codec's own in a sample entry: spherical video, version 2, and stereo.
  @Test func `metadata of a sample entry is in every view`() throws {
    let more = box("st3d", zeros(4), [1]) + box("sv3d", box("svhd", zeros(4), ascii("x\0")))
    let film = try FilmSource(Self.inserting(more, into: try Zoo.bytes("moov-last.mp4")))
    let time = try #require(DecimalSeconds("1"))
    let views = [
      try index(of: film.bytes).served(from: film.bytes), film.index.initializations[0].bytes,
      film.index.initializations[0].leadingAlone, film.content(try film.clip(500_000_000..<1_500_000_000)),
      film.content(try KeyFrame(at: time, of: film.index, film.source).composition),
      film.content(try KeyFrameMovie.make(every: time, speed: 2, of: film.index, film.source)),
    ]
    for (number, view) in views.enumerated() { #expect(view.firstRange(of: more) != nil, "view \(number)") }
  }

  /// Returns a file whose `moov` is last, with boxes at the end of the first track's sample entry.
  private static func inserting(_ more: Bytes, into bytes: Bytes) throws -> Bytes {
    var bytes = bytes
    let path = ["moov", "trak", "mdia", "minf", "stbl", "stsd"]
    let boxes = try (1...path.count).map {
      try #require(Demuxed.find(bytes, Array(path.prefix($0)), in: 0..<bytes.count))
    }
    let entry = try #require(Demuxed.boxes(bytes, (boxes[5].content + 8)..<boxes[5].end).first)
    for place in boxes.map(\.start) + [entry.start] {
      bytes.replaceSubrange(place..<(place + 4), with: be32(Demuxed.number(bytes, place, 4) + more.count))
    }
    bytes.insert(contentsOf: more, at: entry.end)
    return bytes
  }
}
