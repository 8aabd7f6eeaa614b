package import FootageBase

/// What comes next of a recording that grows, to be appended to what a player has: its last whole fragments as one.
package struct LiveFragment: Sendable {
  /// All bytes; the recorder's file is source 0.
  package let composition: Composition
  /// Number of its last fragment.
  package let last: Int
  /// Number of its first one.
  package let first: Int
  /// How much was left out, since it was too far behind, in milliseconds; nil for nothing.
  package let skippedMilliseconds: Int64?

  /// Changes whenever the bytes change.
  package static let viewVersion: UInt8 = 1
  /// Who is further behind is moved forward, in seconds.
  private static let patience: Int64 = 10

  /// - Parameters:
  ///   - number: of the last fragment that the player has; nil begins at the last key frame.
  ///   - fragments: the last ones.
  ///   - index: with them.
  /// - Returns: nil where there is none yet.
  /// - Throws: `ViewError.noFilm`, `.index`.
  package static func next(
    after number: Int?, of fragments: ArraySlice<FilmFragment>, _ index: SampleIndex, _ source: some ByteSource
  ) throws(ViewError) -> LiveFragment? {
    guard let shift = index.shift else { throw .noFilm }
    guard let last = fragments.last, number ?? 0 < last.number else { return nil }
    let timing = index.leading.timing
    var new = fragments.drop { $0.number <= number ?? 0 }
    var isBeginning = number == nil
    var skipped: Int64?
    if let number, let first = new.first {
      let isTooFar = last.time - first.time > patience * Int64(timing.timescale)
      let key = new.lastIndex(where: \.beginsWithKeyFrame)
      if first.number > number + 1 || isTooFar {
        // Without a key frame to go on with, what is missing cannot be left out.
        if let key, key > new.startIndex || first.number > number + 1 {
          skipped = timing.nanoseconds(new[key].time - first.time) / 1_000_000
          new = new[key...]
          isBeginning = true
        } else if first.number > number + 1 {
          return nil
        }
      }
    } else {
      guard let key = new.lastIndex(where: \.beginsWithKeyFrame) else { return nil }
      new = new[key...]
    }
    // What another decoder reads is another answer.
    let description = new.lazy.compactMap { $0.samples.leading.first?.description }.first
    if let number, let description, !isBeginning {
      let before = fragments.last { $0.number <= number && !$0.samples.leading.isEmpty }?.samples.leading.last
      if let before, before.description != description { isBeginning = true }
    }
    let own = new.prefix { $0.samples.leading.allSatisfy { $0.description == description } }
    guard let first = own.first, let end = own.last else { return nil }
    var composition = Composition()
    if isBeginning {
      let row = try mapError(
        ViewError.index,
        try { () throws(SampleIndexError) in
          let block = try index.block(at: first.time, source)
          return try index.blockRows(block..<min(block + 1, index.blockCount), source).first
        }())
      guard let row, index.initializations.indices.contains(row.initialization) else { return nil }
      composition.append(index.initializations[row.initialization].bytes)
    }
    let media = try mapError(
      ViewError.index,
      try FilmSegment.fragment(
        number: end.number, leading: own.flatMap(\.samples.leading), sound: own.flatMap(\.samples.sound), of: index,
        shift: shift))
    composition.append(media)
    return LiveFragment(composition: composition, last: end.number, first: first.number, skippedMilliseconds: skipped)
  }
}
