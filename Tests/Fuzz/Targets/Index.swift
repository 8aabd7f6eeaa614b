/// The index of any bytes: what it serves is a movie, made of a preamble and of ranges inside the file.

internal import FootageBase
internal import FootageMedia

package enum Index {
  /// Checks the bytes.
  ///
  /// - Returns: the number of served samples that were compared with the file's own; nil for a file that is not ready.
  @discardableResult
  package static func check(_ bytes: [UInt8]) throws(Finding) -> Int? {
    let length = UInt64(bytes.count)
    guard let index = index(of: bytes) else { return nil }
    var end: UInt64 = 0
    for (position, range) in index.body.enumerated() {
      try expect(!range.isEmpty, "body range \(position) is empty")
      try expect(range.upperBound <= length, "body range \(range) leaves the file of \(length) bytes")
      try expect(position == 0 || range.lowerBound != end, "body range \(range) adjoins the one before it")
      end = range.upperBound
    }
    // Tables grow when offsets do, or when fragments become tables, but never by more than a certain factor.
    try expect(
      index.preamble.count <= 64 * bytes.count + 65_536,
      "\(bytes.count) bytes make a preamble of \(index.preamble.count)")
    try expect(index.movie.duration >= 0 && index.movie.duration.isFinite, "it lasts \(index.movie.duration) s")
    let served = try checkServed(index, bytes)
    try expect(self.index(of: bytes) == index, "a second time it is another index")
    return try SampleComparison(index, source: bytes, served: served).compare()
  }

  private static func index(of bytes: [UInt8]) -> MovieIndex? {
    guard case .ready(let index) = try? MovieIndex.make(of: MemoryByteSource(bytes)) else { return nil }
    return index
  }

  /// Checks that the served bytes, taken as a file, are served unchanged and are the same movie.
  ///
  /// - Returns: all served bytes.
  private static func checkServed(_ index: MovieIndex, _ bytes: [UInt8]) throws(Finding) -> [UInt8] {
    var served = index.preamble
    for range in index.body { served += bytes[Int(range.lowerBound)..<Int(range.upperBound)] }
    try expect(UInt64(served.count) == index.length, "\(served.count) bytes are served, not \(index.length)")
    let outcome: IndexOutcome
    do throws(MP4Error) { outcome = try MovieIndex.make(of: MemoryByteSource(served)) } catch {
      throw Finding(description: "what is served would be refused: \(error)")
    }
    guard case .ready(let again) = outcome else {
      throw Finding(description: "what is served is none: \(outcome)")
    }
    // A gap in one track alone, which a fragment states, is not believed in a plain table.
    let isMended = again.notes.contains { $0.hasPrefix("durations that are negative") }
    try expect(
      isMended || again.preamble.isEmpty && again.body == [0..<UInt64(served.count)],
      "what is served is not served as it is")
    try expect(!again.isRecovered, "what is served has to be recovered")
    try expect(
      isMended
        || again.movie.video == index.movie.video && again.movie.audio == index.movie.audio
          && again.movie.creationTime == index.movie.creationTime,
      "what is served is another movie: \(again.movie), not \(index.movie)")
    return served
  }
}
