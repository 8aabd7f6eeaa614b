package import FootageBase

/// The next part of a growing recording for a player to append: the latest complete fragments as one.
package struct LiveFragment: Sendable {
  /// All bytes of the part. The recorder's file is source 0.
  package let composition: Composition
  /// The number of the last fragment in this part.
  package let last: Int
  /// The number of the first fragment in this part.
  package let first: Int
  /// The time that was left out because the player was too far behind, in milliseconds, or nil.
  package let skippedMilliseconds: Int64?

  /// The version of this view. It changes whenever the bytes of the view change.
  package static let viewVersion: UInt8 = 2
  /// The number of seconds by which a player may be behind. One that is further behind is moved forward.
  private static let patience: Int64 = 10

  /// - Parameters:
  ///   - number: the number of the last fragment that the player has. With nil, the part begins at the last key frame.
  ///   - fragments: the most recent fragments.
  ///   - index: the index of the recording, including these fragments.
  /// - Returns: nil if there is no new fragment yet.
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
        // Without a later key frame to continue with, the missing part cannot be left out.
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
    // Samples for a different decoder go into a separate part.
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
