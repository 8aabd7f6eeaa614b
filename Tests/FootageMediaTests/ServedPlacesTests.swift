/// Views of the recorder's file, made from the served bytes.

import FootageBase
@testable import FootageMedia
import TestSupport
import Testing

@Suite struct ServedPlacesTests {
  private static func bytes(of composition: Composition, in source: [UInt8]) -> [UInt8] {
    composition.slices.flatMap { slice -> [UInt8] in
      switch slice {
      case .literal(let bytes): Array(bytes)
      case .range(_, let range): Array(source[Int(range.lowerBound)..<Int(range.upperBound)])
      }
    }
  }

  @Test(arguments: ["moov last", "moov first", "fragmented"])
  func `a view has the same bytes out of the file and out of what is served`(layout: String) throws {
    let file =
      switch layout {
      case "moov last": Samples.moovLast
      case "moov first": Samples.moovFirst
      default: Samples.fragmented
      }
    let source = MemoryByteSource(file)
    let tables = try MovieTables.make(of: source)
    let served = Self.bytes(of: tables.composition, in: file)
    let made = MemoryByteSource(try SampleIndex.make(of: tables, media: source).bytes)
    let index = try SampleIndex(made)
    #expect(index.places.end == UInt64(served.count))
    // The index that the app makes from its own bytes is the same, too.
    let own = Composition([], then: [0..<UInt64(served.count)])
    let ownMade = MemoryByteSource(
      try SampleIndex.make(
        of: try MovieTables(served: MemoryByteSource(served), of: own), media: MemoryByteSource(served)
      ).bytes)
    let ownIndex = try SampleIndex(ownMade)
    for number in 0..<index.segmentCount {
      let view = try FilmSegment.segment(number, of: index, made)
      let placed = try #require(index.places.served(view))
      #expect(Self.bytes(of: placed, in: served) == Self.bytes(of: view, in: file))
      let ownView = try #require(ownIndex.places.served(try FilmSegment.segment(number, of: ownIndex, ownMade)))
      #expect(Self.bytes(of: ownView, in: served) == Self.bytes(of: view, in: file))
    }
  }

  /// The bytes between the samples of a segment are not served: they are a `moov`, which is written again.
  @Test func `a view has nothing of a moov between two mdats`() throws {
    let file = Self.moovBetween(Samples.moovLast)
    let source = MemoryByteSource(file)
    let tables = try MovieTables.make(of: source)
    let served = Self.bytes(of: tables.composition, in: file)
    let made = MemoryByteSource(try SampleIndex.make(of: tables, media: source).bytes)
    let index = try SampleIndex(made)
    for number in 0..<index.segmentCount {
      let view = try FilmSegment.segment(number, of: index, made)
      #expect(view.ranges().count == 2)
      let placed = try #require(index.places.served(view))
      #expect(Self.bytes(of: placed, in: served) == Self.bytes(of: view, in: file))
    }
  }

  /// Returns the same recording with half of its media after its `moov`.
  private static func moovBetween(_ bytes: [UInt8]) -> [UInt8] {
    func place(of type: String, from start: Int = 0) -> Int? {
      bytes.indices[start...].first { bytes[$0...].starts(with: type.utf8) }.map { $0 - 4 }
    }
    guard let mdat = place(of: "mdat"), let moov = place(of: "moov") else { return [] }
    let length = bytes.count - moov
    var movie = Array(bytes[moov...])
    var split = 0
    var next = moov
    while let table = place(of: "stco", from: next) {
      let count = Int(bytes.borrowedSpan.uint32(at: table + 12))
      if split == 0 { split = Int(bytes.borrowedSpan.uint32(at: table + 16 + count / 2 * 4)) }
      for entry in (0..<count).map({ table + 16 + $0 * 4 }) {
        let offset = Int(bytes.borrowedSpan.uint32(at: entry))
        guard offset >= split else { continue }
        var moved: [UInt8] = []
        moved.append(bigEndian: UInt32(offset + length + 8))
        movie.replaceSubrange((entry - moov)..<(entry - moov + 4), with: moved)
      }
      next = table + 8
    }
    func box(_ size: Int) -> [UInt8] {
      var header: [UInt8] = []
      header.append(bigEndian: UInt32(size))
      return header + "mdat".utf8
    }
    return bytes[..<mdat] + box(split - mdat) + bytes[(mdat + 8)..<split] + movie + box(moov - split + 8)
      + bytes[split..<moov]
  }

  @Test(arguments: ["moov last", "fragmented"])
  func `seconds and bytes are the same by the index as by the recording's tables`(layout: String) throws {
    let file = layout == "moov last" ? Samples.moovLast : Samples.fragmented
    let source = MemoryByteSource(file)
    let tables = try MovieTables.make(of: source)
    let served = Self.bytes(of: tables.composition, in: file)
    let made = MemoryByteSource(try SampleIndex.make(of: tables, media: source).bytes)
    let index = try MovieTimeline(try SampleIndex(made), made)
    let outcome = MovieTimeline.read(MemoryByteSource(served), available: { _ in true }, limit: 1 << 20)
    guard case .ready(let movie) = outcome else {
      Issue.record("there is no time line")
      return
    }
    #expect(abs(index.duration - movie.duration) < 0.1)
    let all = RangeSet([0..<UInt64(served.count)])
    #expect(index.seconds(of: all).count == 1)
    for seconds in [1.0, 2, 3.5, 100] {
      // A picture that is shown in one second may be decoded in the second before.
      let (one, other) = (Double(index.end(ofFirst: seconds)), Double(movie.end(ofFirst: seconds)))
      #expect(abs(one - other) <= Double(served.count) / 20, "\(seconds)")
    }
    // By the index, a film plays without the head; by the tables, it does not.
    #expect(index.seconds(of: RangeSet([movie.end(ofFirst: 0)..<UInt64(served.count)])) == index.seconds(of: all))
    #expect(movie.seconds(of: RangeSet([movie.end(ofFirst: 0)..<UInt64(served.count)])).isEmpty)
  }

  @Test func `what is not served has no place, and pieces are put together in order`() throws {
    var composition = Composition([1, 2, 3, 4], then: [100..<200])
    composition.append([5])
    composition.append(300..<310)
    composition.append(20..<30)
    let places = ServedPlaces(of: composition)
    #expect(places.end == 125)
    #expect(places.served(Composition([9], then: [100..<104]))?.ranges() == [4..<8])
    #expect(places.served(Composition([], then: [305..<310, 20..<22]))?.ranges() == [110..<117])
    #expect(places.served(Composition([], then: [199..<201])) == nil)
    #expect(places.served(Composition([], then: [0..<1])) == nil)
    #expect(ServedPlaces().served(Composition([7], then: []))?.length == 1)
  }

  @Test func `places that overlap or leave the file are none`() {
    typealias Place = ServedPlaces.Place
    func isTaken(_ places: Place...) -> Bool { ServedPlaces(places, fileLength: 1_000) != nil }
    #expect(isTaken(Place(served: 5, file: 0, length: 1_000)))
    #expect(isTaken(Place(served: 5, file: 0, length: 10), Place(served: 0, file: 10, length: 5)))
    #expect(!isTaken(Place(served: 5, file: 0, length: 1_001)))
    #expect(!isTaken(Place(served: 5, file: 0, length: 10), Place(served: 0, file: 9, length: 5)))
    #expect(!isTaken(Place(served: .max, file: 0, length: 10)))
    #expect(!isTaken(Place(served: 0, file: .max, length: .max)))
  }

  /// An app receives indexes over the network.
  @Test func `whatever stands in an index, its views stay within what is served`() throws {
    let file = Samples.moovLast
    let source = MemoryByteSource(file)
    let tables = try MovieTables.make(of: source)
    let made = try SampleIndex.make(of: tables, media: source).bytes
    var generator = SeededGenerator(seed: 14)
    for seed in 0..<400 {
      var bytes = made
      // Most changes hit the header and the rows.
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let end = Bool.random(using: &generator) ? bytes.count : min(bytes.count, 2_500)
        bytes[Int.random(in: 12..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if Int.random(in: 0..<10, using: &generator) == 0 { bytes = Array(bytes.prefix(bytes.count / 2)) }
      let source = MemoryByteSource(bytes)
      guard let index = try? SampleIndex(source) else { continue }
      let views = RecordingViews(index, source)
      func check(_ view: RecordingViews.View?) {
        guard let view, let placed = index.places.served(view.composition) else { return }
        #expect(placed.ranges().allSatisfy { $0.upperBound <= index.places.end }, "seed \(seed)")
      }
      for number in [0, 1, 7] {
        check(try? views.segment(number))
        check(try? views.keyFrameSegment(number))
        check(try? views.initialization(number))
      }
      check(try? views.keyFrame(at: .zero))
      check(try? views.keyFrames(every: .zero, speed: 3))
      check(try? views.clip(start: nil, end: nil))
      _ = try? views.variants(media: "m", keyFrames: "k")
      _ = try? views.mediaPlaylist(from: UnixTimestamp(milliseconds: 0), prefix: "")
      _ = try? views.keyFramePlaylist(from: UnixTimestamp(milliseconds: 0), prefix: "")
      _ = try? views.segments(of: 0..<5_000, isCutAtStart: true, isCutAtEnd: true)
    }
  }
}
