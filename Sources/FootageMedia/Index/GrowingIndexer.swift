package import FootageBase

/// An indexer of the samples of a fragmented file that grows, for films.
///
/// It waits until each track has begun, because that determines the layout of the film. From then on, it reads each
/// fragment once.
package struct GrowingIndexer: Sendable {
  private enum Stage {
    case beginning(MovieIndexer)
    case growing(GrowingFilmFold)
  }

  private var stage = Stage.beginning(MovieIndexer())

  package init() {}

  /// Returns the growth since the last examination. May block.
  ///
  /// - Parameters:
  ///   - source: the same file each time.
  ///   - isClosed: true if the recording has ended.
  /// - Returns: nil if there is no film yet, or if the file is not fragmented.
  /// - Throws: `unreadable`, after which the caller may try again, or else the reason why the film ends.
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
      var fold = try GrowingFilmFold(beginning.movie, layout, firstFragment: beginning.firstFragment)
      defer { stage = .growing(fold) }
      return try fold.look(source, isClosed: isClosed)
    }
  }
}
