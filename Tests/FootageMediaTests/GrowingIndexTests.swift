/// The film of a growing recording, compared with the film of the finished recording.

import FootageBase
import TestSupport
import Testing

@testable import FootageMedia

@Suite struct GrowingIndexTests {
  /// The first bytes of a file.
  private struct Prefix: ByteSource {
    let bytes: Bytes
    var length: UInt64

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(EndOfBytes) {
      guard offset <= length, UInt64(buffer.count) <= length - offset else { throw EndOfBytes(offset: length) }
      bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[Int(offset)...].prefix(buffer.count))) }
    }
  }

  /// A file that arrives in random pieces, with the growth reported each time.
  private struct Watched {
    var indexer = GrowingIndexer()
    var grown = GrownIndex()
    var fragments: [FilmFragment] = []

    mutating func look(_ source: Prefix, isClosed: Bool = false) throws {
      guard let growth = try indexer.look(source, isClosed: isClosed) else { return }
      // The growth as it arrives from another process.
      let told = try #require(FilmGrowth(encoded: growth.encoded))
      #expect(told.encoded == growth.encoded)
      let isAdded = grown.add(told)
      #expect(isAdded)
      fragments += told.fragments
    }

    func index() throws -> SampleIndex { try SampleIndex(grown) }
  }

  private static func isFragmented(_ bytes: Bytes) -> Bool {
    (0..<max(0, bytes.count - 3)).contains { bytes[$0..<($0 + 4)].elementsEqual("moof".utf8) }
  }

  private static func samples(_ index: SampleIndex, _ source: some ByteSource) throws -> [SampleBlock] {
    let blocks = try index.blocks(0..<index.blockCount, source)
    return [SampleBlock(leading: blocks.flatMap(\.leading), sound: blocks.flatMap(\.sound))]
  }

  @Test func `a recording that grows has the samples, times and segments that it has when it is whole`() throws {
    let seed = TestRun.seed(of: "a growing film")
    var random = SeededGenerator(seed: seed)
    var names: [String] = []
    var hybrids = 0
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      guard Self.isFragmented(bytes), let film = try? FilmSource(bytes), film.index.shift != nil else { continue }
      var watched = Watched()
      var length = 0
      var known: [Composition] = []
      while length < bytes.count {
        length = min(bytes.count, length + .random(in: 1...max(1, bytes.count / 12), using: &random))
        try watched.look(Prefix(bytes: bytes, length: UInt64(length)))
        guard watched.grown.length > 0 else { continue }
        let index = try watched.index()
        for number in 0..<watched.grown.wholeSegments {
          let segment = try FilmSegment.segment(number, of: index, watched.grown)
          if number < known.count {
            #expect(segment == known[number], "\(name), segment \(number), seed \(seed)")
          } else {
            known.append(segment)
            let found = MediaChecker.violations(ofSegment: film.content(segment))
            check(found.isEmpty, "\(name), segment \(number): \(found.prefix(3))")
          }
        }
      }
      try watched.look(Prefix(bytes: bytes, length: UInt64(bytes.count)), isClosed: true)
      guard watched.grown.length > 0 else { continue }
      names.append(name)
      let index = try watched.index()
      #expect(watched.grown.isClosed && index.shift == film.index.shift, "\(name)")
      #expect(index.initializations == film.index.initializations, "\(name)")
      #expect(index.leading.timing == film.index.leading.timing && index.end == film.index.end, "\(name)")
      #expect(try Self.samples(index, watched.grown) == Self.samples(film.index, film.source), "\(name), seed \(seed)")
      // If each key frame comes in time, both are cut at the same places.
      if film.index.segmentCount == index.segmentCount {
        for number in 0..<index.segmentCount {
          #expect(
            try FilmSegment.segment(number, of: index, watched.grown)
              == FilmSegment.segment(number, of: film.index, film.source), "\(name), segment \(number)")
        }
      }
      let told = watched.fragments
      #expect(told.map(\.number) == Array(1...max(1, told.count)), "\(name)")
      let all = try Self.samples(film.index, film.source)[0]
      // Some recordings hold samples before their fragments.
      let leading = told.flatMap(\.samples.leading).map(\.offset)
      let sound = told.flatMap(\.samples.sound).map(\.offset)
      #expect(!leading.isEmpty && leading == all.leading.suffix(leading.count).map(\.offset), "\(name)")
      #expect(sound == all.sound.suffix(sound.count).map(\.offset), "\(name)")
      if name.contains("hybrid") { hybrids += 1 } else { #expect(leading.count == all.leading.count, "\(name)") }
    }
    #expect(names.count >= 4 && hybrids == 1, "\(names)")
  }

  @Test func `who begins anew comes to the same, and goes on with it`() throws {
    let bytes = try Zoo.bytes("frag-keyframe.mp4")
    var first = Watched()
    try first.look(Prefix(bytes: bytes, length: UInt64(bytes.count * 2 / 3)))
    let before = first.grown.wholeSegments
    #expect(first.grown.length > 0)
    first.indexer = GrowingIndexer()
    try first.look(Prefix(bytes: bytes, length: UInt64(bytes.count)), isClosed: true)
    var second = Watched()
    try second.look(Prefix(bytes: bytes, length: UInt64(bytes.count)), isClosed: true)
    #expect(first.grown.wholeSegments >= before)
    #expect(
      try first.grown.bytes(at: 0, count: Int(first.grown.length))
        == second.grown.bytes(at: 0, count: Int(second.grown.length)))
  }

  @Test func `what another recording has grown by is not added`() throws {
    var one = Watched()
    let bytes = try Zoo.bytes("frag-keyframe.mp4")
    try one.look(Prefix(bytes: bytes, length: UInt64(bytes.count)))
    var other = GrowingIndexer()
    let noise = try Zoo.made.get().names.first { name in
      guard name != "frag-keyframe.mp4", let bytes = try? Zoo.bytes(name), Self.isFragmented(bytes) else {
        return false
      }
      var indexer = GrowingIndexer()
      return ((try? indexer.look(Prefix(bytes: bytes, length: UInt64(bytes.count)), isClosed: true)) ?? nil) != nil
    }
    let others = try Zoo.bytes(try #require(noise))
    let growth = try #require(try other.look(Prefix(bytes: others, length: UInt64(others.count)), isClosed: true))
    let length = one.grown.length
    let isAdded = one.grown.add(growth)
    #expect(!isAdded)
    #expect(one.grown.length == length)
  }

  @Test func `damaged reports are told or harmless`() throws {
    let seed = TestRun.seed(of: "damaged growth")
    var random = SeededGenerator(seed: seed)
    let bytes = try Zoo.bytes("frag-keyframe.mp4")
    var indexer = GrowingIndexer()
    let sound = try #require(try indexer.look(Prefix(bytes: bytes, length: UInt64(bytes.count)), isClosed: true))
      .encoded
    for round in 0..<1_000 {
      var damaged = sound
      if round % 4 == 0 { damaged.removeLast(.random(in: 1...damaged.count, using: &random)) }
      for _ in 0..<Int.random(in: 1...4, using: &random) where !damaged.isEmpty {
        damaged[.random(in: 0..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      guard let growth = FilmGrowth(encoded: damaged) else { continue }
      var grown = GrownIndex()
      guard grown.add(growth), let index = try? SampleIndex(grown) else { continue }
      for number in 0..<min(4, grown.wholeSegments) {
        guard let view = try? FilmSegment.segment(number, of: index, grown) else { continue }
        #expect(view.ranges().allSatisfy { $0.upperBound <= index.fileLength }, "seed \(seed)")
      }
    }
  }
}
