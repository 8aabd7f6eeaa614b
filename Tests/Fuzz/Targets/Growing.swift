/// A file that is looked at while it grows: each look gives what a first one gives.

internal import Formats
internal import ISOMedia

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
  }
}
