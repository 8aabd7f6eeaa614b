/// The contents of a sample index, compared with the tables that it was made from.

import FootageBase
@testable import FootageMedia
import TestSupport
import Testing

@Suite struct SampleIndexTests {
  /// Returns all samples of a track according to its tables, at their offsets in the recorder's file.
  private static func samples(of track: TrackTables, _ tables: MovieTables) throws -> [IndexedSample] {
    try (0..<track.sampleCount).map { number in
      let place = try #require(track.place(of: number))
      let offset = tables.composition.slice(in: place.bytes).ranges().first?.lowerBound ?? 0
      return IndexedSample(
        offset: offset, decodingTime: track.decodingTime(of: number),
        compositionOffset: Int32(track.mediaTime(of: number) - track.decodingTime(of: number)),
        duration: track.duration(of: number), size: UInt32(place.bytes.upperBound - place.bytes.lowerBound),
        description: UInt16(place.descriptionIndex - 1), isSync: track.isSync(number))
    }
  }

  /// Returns the samples without the offsets of empty samples, which may be anywhere.
  private static func comparable(_ samples: [IndexedSample]) -> [IndexedSample] {
    samples.map { sample in
      var sample = sample
      if sample.size == 0 { sample.offset = 0 }
      return sample
    }
  }

  /// Compares samples with those of the tables, of which those that the edit list hides are left out.
  private static func compare(
    _ found: [IndexedSample], _ all: [IndexedSample], of track: IndexedTrack, _ name: String
  ) throws {
    let edits = track.edits.mediaEdits
    var end = Int64.max
    if edits.count == 1, edits[0].duration > 0 {
      // A quotient of floating-point numbers may be a little too large.
      let ticks = Int128(edits[0].duration) * Int128(track.timing.timescale)
      let length = (ticks + Int128(track.movieTimescale) - 1) / Int128(track.movieTimescale)
      end = edits[0].mediaTime + Int64(clamping: length)
    }
    // What the edit list hides may be left out, and what is shown before the beginning.
    var wanted: [IndexedSample] = []
    for sample in all {
      if wanted.count < found.count, comparable([sample])[0].isSamePlace(as: comparable([found[wanted.count]])[0]) {
        wanted.append(sample)
      } else {
        #expect(track.timing.presentationTime(of: sample) <= 0 || sample.mediaTime >= end, "\(name)")
      }
    }
    try #require(wanted.count == found.count, "\(name)")
    // Before a gap, and where the sound is longer, the last picture gets another duration. A picture that is shown long
    // after it is decoded may be decoded later.
    if track.handler == "vide" {
      let pause = 10 * Int64(track.timing.timescale)
      var isDelayed = false
      for (index, sample) in found.enumerated().reversed() {
        let isLast = index + 1 == found.count
        let isBeforePause = isLast || isDelayed || found[index + 1].mediaTime - sample.mediaTime > pause
        isDelayed = sample.decodingTime != wanted[index].decodingTime
        if isDelayed {
          #expect(
            sample.mediaTime == wanted[index].mediaTime && sample.compositionOffset >= 0, "\(name), sample \(index)")
          #expect(Int64(wanted[index].compositionOffset) > pause - Int64(sample.duration), "\(name), sample \(index)")
          (wanted[index].decodingTime, wanted[index].compositionOffset) = (
            sample.decodingTime, sample.compositionOffset
          )
        }
        guard sample.duration != wanted[index].duration else { continue }
        #expect(isBeforePause || Int64(wanted[index].duration) > pause, "\(name), sample \(index)")
        wanted[index].duration = sample.duration
      }
    }
    #expect(comparable(found) == comparable(wanted), "\(name)")
  }

  private static func check(_ tables: MovieTables, _ made: SampleIndex.Made, _ name: String) throws {
    let source = MemoryByteSource(made.bytes)
    let index = try SampleIndex(source)
    let blocks = try index.blocks(0..<index.blockCount, source)
    let leading = try #require(tables.tracks.first { $0.id == index.leading.id })
    try compare(blocks.flatMap(\.leading), samples(of: leading, tables), of: index.leading, "\(name), leading")
    if let sound = index.sound {
      let track = try #require(tables.tracks.first { $0.id == sound.id })
      try compare(blocks.flatMap(\.sound), samples(of: track, tables), of: sound, "\(name), sound")
    } else {
      #expect(blocks.allSatisfy { $0.sound.isEmpty })
    }
    let rows = try index.blockRows(0..<index.blockCount, source)
    for (number, row) in rows.enumerated() {
      // The blocks are read one by one as well.
      #expect(try index.blocks(number..<(number + 1), source) == [blocks[number]], "\(name), block \(number)")
      #expect(row.mediaBytes == (blocks[number].leading + blocks[number].sound).reduce(0) { $0 + $1.size })
      let first = blocks[number].leading.first
      #expect(row.keyFrame == (first?.isSync == true ? first?.bytes : nil) ?? 0..<0, "\(name), block \(number)")
    }
    let segments = try index.segmentRows(0..<index.segmentCount, source)
    #expect(segments.first?.firstBlock == 0)
    for (segment, next) in zip(segments, segments.dropFirst()) {
      #expect(segment.firstBlock < next.firstBlock && segment.time <= next.time, "\(name)")
    }
    // Sound is in the block during which it is heard.
    guard let sound = index.sound, leading.handler == "vide" else { return }
    for (block, next) in zip(blocks, rows.dropFirst()) {
      let limit = sound.timing.ceiling(next.time, of: index.leading.timing)
      #expect(block.sound.allSatisfy { sound.timing.presentationTime(of: $0) < limit }, "\(name)")
    }
  }

  @Test func `an index has each sample of the tables`() throws {
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      let tables = try MovieTables.make(of: MemoryByteSource(bytes))
      let made = try SampleIndex.make(of: tables, media: MemoryByteSource(bytes))
      #expect(made.shift != nil, "\(name): \(made.notes)")
      try Self.check(tables, made, name)
    }
  }

  @Test func `an index of any tables has each sample`() throws {
    let seed = TestRun.seed(of: "index of any tables")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let track = RandomTrack(using: &random)
      let bytes = track.file
      guard let tables = try? MovieTables.make(of: MemoryByteSource(bytes)),
        let made = try? SampleIndex.make(of: tables, media: MemoryByteSource(bytes)), !made.bytes.isEmpty
      else { continue }
      try Self.check(tables, made, "seed \(seed)")
    }
  }

  @Test func `samples go into a block and come out of it`() throws {
    let seed = TestRun.seed(of: "coding of a block")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      var position: UInt64 = .random(in: 0..<1 << 40, using: &random)
      var time: Int64 = .random(in: -(1 << 40)..<1 << 40, using: &random)
      func track(_ count: Int) -> [IndexedSample] {
        let step: Int32 = [1, 3, 512, 40_000].randomElement(using: &random)!
        let same = Bool.random(using: &random)
        return (0..<count).map { _ in
          if Int.random(in: 0..<4, using: &random) == 0 { position += .random(in: 0..<1 << 20, using: &random) }
          let size: UInt32 = same ? 100 : .random(in: 0..<1 << 16, using: &random)
          let duration: UInt32 = same ? 3_000 : .random(in: 0...3, using: &random)
          defer {
            position += UInt64(size)
            time += Int64(duration)
          }
          return IndexedSample(
            offset: position, decodingTime: time, compositionOffset: step * .random(in: -8...8, using: &random),
            duration: duration, size: size, isSync: .random(using: &random))
        }
      }
      let block = SampleBlock(
        leading: track(.random(in: 0..<60, using: &random)), sound: track(.random(in: 0..<60, using: &random)))
      var bytes: [UInt8] = []
      var room = ByteRoom()
      SampleBlock.encode(leading: block.leading[...], sound: block.sound[...], into: &bytes, by: &room)
      var reader = VariableLengthReader(bytes)
      #expect(SampleBlock(&reader, fileLength: position) == block, "seed \(seed)")
      #expect(reader.isAtEnd)
      // A sample beyond the end of the file is not valid.
      if (block.leading + block.sound).contains(where: { $0.bytes.upperBound == position }), position > 0 {
        var reader = VariableLengthReader(bytes)
        #expect(SampleBlock(&reader, fileLength: position - 1) == nil, "seed \(seed)")
      }
    }
  }

  @Test func `a damaged index is told or harmless`() throws {
    let seed = TestRun.seed(of: "damaged index")
    var random = SeededGenerator(seed: seed)
    let bytes = try Zoo.bytes("moov-last.mp4")
    let tables = try MovieTables.make(of: MemoryByteSource(bytes))
    let sound = try SampleIndex.make(of: tables, media: MemoryByteSource(bytes)).bytes
    for round in 0..<2_000 {
      var damaged = sound
      if round % 4 == 0 { damaged.removeLast(.random(in: 1...damaged.count, using: &random)) }
      for _ in 0..<Int.random(in: 1...4, using: &random) where !damaged.isEmpty {
        damaged[.random(in: 0..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      let source = MemoryByteSource(damaged)
      guard let index = try? SampleIndex(source) else { continue }
      for number in 0..<min(index.segmentCount, 4) {
        guard let view = try? FilmSegment.segment(number, of: index, source) else { continue }
        #expect(view.ranges().allSatisfy { $0.upperBound <= index.fileLength }, "seed \(seed)")
      }
      for number in 0..<min(index.blockCount, 8) { _ = try? FilmSegment.keyFrame(number, of: index, source) }
      _ = try? index.block(at: 90_000, source)
    }
  }

  @Test func `an index of another version is told apart from a damaged one`() throws {
    var bytes = SampleIndex.magic + [0, 0, 0, 1, 0, 0, 0, 16]
    #expect(throws: SampleIndexError.unsupported(version: 1)) { try SampleIndex(MemoryByteSource(bytes)) }
    bytes[0] = 0
    #expect(throws: SampleIndexError.damaged("does not begin with the mark of a sample index")) {
      try SampleIndex(MemoryByteSource(bytes))
    }
  }
}

/// The places where films are cut.
@Suite struct FilmCutTests {
  /// Returns pictures of one second each, by their kinds: `K` is a closed key frame, `O` an open one with a later
  /// picture that is shown before it, `-` any other.
  private static func pictures(_ text: String) -> [IndexedSample] {
    text.enumerated().flatMap { second, kind -> [IndexedSample] in
      func sample(_ tenths: Int, shown: Int, isSync: Bool) -> IndexedSample {
        IndexedSample(
          offset: UInt64(second * 20 + tenths), decodingTime: Int64(second * 10 + tenths),
          compositionOffset: Int32(shown - (second * 10 + tenths)), duration: 5, size: 1, isSync: isSync)
      }
      let time = second * 10 + 20
      return kind == "O"
        ? [sample(0, shown: time, isSync: true), sample(5, shown: time - 5, isSync: false)]
        : [sample(0, shown: time, isSync: kind == "K"), sample(5, shown: time + 5, isSync: false)]
    }
  }

  private static func cuts(_ text: String, _ rules: FilmRules) throws -> [Int] {
    var builder = SampleIndexBuilder(
      timing: TrackTiming(timescale: 10, origin: 20), soundTiming: nil, rules: rules)
    for sample in pictures(text) {
      builder.leading.append(sample)
      // The builder advances as it does while a recording grows.
      _ = try builder.advance()
    }
    builder.isLeadingComplete = true
    guard case .nothing = try builder.advance() else { throw SampleIndexError.damaged("is unfinished") }
    var whole = SampleIndexBuilder(
      timing: TrackTiming(timescale: 10, origin: 20), soundTiming: nil, rules: rules)
    for sample in pictures(text) { whole.leading.append(sample) }
    whole.isLeadingComplete = true
    guard case .nothing = try whole.advance() else { throw SampleIndexError.damaged("is unfinished") }
    #expect(whole.segments == builder.segments && whole.blocks == builder.blocks && whole.payload == builder.payload)
    return builder.segments.map { Int($0.time / 10) }
  }

  @Test(arguments: [
    // The cut is at the first closed key frame from six seconds on.
    ("K-K-K-K-K-K-K-K-", [0, 6, 12], [0, 6, 12]),
    ("K----K----K----K----", [0, 10], [0, 10]),
    ("K-------K-------K--", [0, 8, 16], [0, 8, 16]),
    // An open key frame does not count before ten seconds.
    ("K-O-O-O-K-O-O-O-", [0, 8], [0, 8]),
    // From ten seconds on, an open one counts.
    ("K-O-O-O-O-O-O-O-O-", [0, 10], [0, 10]),
    // A finished recording is cut only at key frames, however late; a growing one is cut at any frame in time.
    ("K-------------K---", [0, 14], [0, 12]),
    ("K--------------------------K", [0, 27], [0, 12, 24]),
  ])
  func `segments begin where the rule says`(kinds: String, whole: [Int], growing: [Int]) throws {
    #expect(try Self.cuts(kinds, .whole) == whole)
    #expect(try Self.cuts(kinds, .growing) == growing)
  }

  @Test func `what has no key frames is cut only before it becomes too large`() throws {
    let most = FilmRules.whole.segmentSamples
    #expect(try Self.cuts("K" + String(repeating: "-", count: 149), .whole) == [0])
    let cuts = try Self.cuts("K" + String(repeating: "-", count: most / 2), .whole)
    #expect(cuts == [0, most / 2])
  }
}

extension IndexedSample {
  fileprivate func isSamePlace(as other: IndexedSample) -> Bool {
    decodingTime == other.decodingTime && compositionOffset == other.compositionOffset && offset == other.offset
      && size == other.size
  }
}
