/// A file that is examined while it grows: each look gives the same result as a first look.

internal import FootageBase
internal import FootageMedia

enum Growing {
  private enum Look: Equatable {
    case outcome(IndexOutcome)
    case refused(MP4Error)

    init(_ look: () throws(MP4Error) -> IndexOutcome) {
      do throws(MP4Error) { self = .outcome(try look()) } catch { self = .refused(error) }
    }
  }

  static func check(_ bytes: [UInt8]) throws(Finding) {
    var random = SeededRandom(seed: UInt64(bytes.count) << 8 | UInt64(bytes.last ?? 0))
    let ends = (0..<4).map { _ in random.below(bytes.count + 1) }.sorted() + [bytes.count]
    var indexer = MovieIndexer()
    for end in ends {
      let source = MemoryByteSource(Array(bytes[..<end]))
      let look = Look { () throws(MP4Error) in try indexer.index(source) }
      let first = Look { () throws(MP4Error) in try MovieIndex.make(of: source) }
      try expect(look == first, "of \(ends) bytes: with \(end) there is another index than at first sight")
    }
    try checkFilm(bytes, ends)
  }

  /// Checks the growing file's film piece by piece: finished pieces do not change, and all of them are in the file.
  private static func checkFilm(_ bytes: [UInt8], _ ends: [Int]) throws(Finding) {
    var indexer = GrowingIndexer()
    var grown = GrownIndex()
    var whole: [Composition] = []
    var fragments: ArraySlice<FilmFragment> = []
    for (look, end) in ends.enumerated() {
      let source = MemoryByteSource(Array(bytes[..<end]))
      // A file that cannot be examined further is skipped.
      guard let growth = try? indexer.look(source, isClosed: look + 1 == ends.count) else { continue }
      guard let told = FilmGrowth(encoded: growth.encoded) else {
        throw Finding(description: "what was told of \(end) bytes cannot be understood")
      }
      let isAdded = grown.add(told)
      try expect(isAdded, "what \(end) of \(ends) bytes bring does not go on with what was there")
      fragments.append(contentsOf: told.fragments)
      let index: SampleIndex
      do throws(SampleIndexError) { index = try SampleIndex(grown) } catch {
        throw Finding(description: "what has grown has no index: \(error)")
      }
      for number in 0..<grown.wholeSegments {
        let segment = try mapError(
          { (error: ViewError) in Finding(description: "segment \(number) cannot be made: \(error)") },
          try FilmSegment.segment(number, of: index, grown))
        try expect(segment.ranges().allSatisfy { $0.upperBound <= UInt64(end) }, "segment \(number) leaves the file")
        if number < whole.count {
          try expect(segment == whole[number], "segment \(number) has become another one")
        } else {
          whole.append(segment)
        }
      }
      let next = try? LiveFragment.next(after: nil, of: fragments, index, grown)
      try expect(
        next?.composition.ranges().allSatisfy { $0.upperBound <= UInt64(end) } ?? true,
        "a live fragment leaves the file")
    }
  }
}
