package import FootageBase

/// Indexes the samples of a fragmented file while it grows, for films of it.
///
/// Waits until each of its tracks has begun, which decides how the film is laid out; from then on each fragment is read
/// once.
package struct GrowingIndexer: Sendable {
  private enum Stage {
    case beginning(MovieIndexer)
    case growing(GrowingFilmFold)
  }

  private var stage = Stage.beginning(MovieIndexer())

  package init() {}

  /// What has come since the last look. May block.
  ///
  /// - Parameters:
  ///   - source: the same file at each look.
  ///   - isClosed: whether nothing more will come.
  /// - Returns: nil where there is no film yet, as where the file is not a fragmented one.
  /// - Throws: `unreadable`, after which it may be tried again; else why the film goes no further.
  package mutating func look(_ source: some ByteSource, isClosed: Bool) throws(MP4Error) -> FilmGrowth? {
    switch stage {
    case .growing(var fold):
      defer { stage = .growing(fold) }
      return try fold.look(source, isClosed: isClosed)
    case .beginning(var indexer):
      defer { if case .beginning = stage { stage = .beginning(indexer) } }
      guard case .ready(let index) = try indexer.index(source), let beginning = try indexer.fragmentedBeginning else {
        return nil
      }
      let tables = try MovieTables.make(of: source, by: index)
      guard let layout = try GrowingLayout(tables, isLast: isClosed, media: source) else { return nil }
      var fold = GrowingFilmFold(beginning.movie, layout, firstFragment: beginning.firstFragment)
      defer { stage = .growing(fold) }
      return try fold.look(source, isClosed: isClosed)
    }
  }
}
