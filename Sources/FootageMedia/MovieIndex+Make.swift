package import FootageBase

/// Creates the index of a recorder's file.
extension MovieIndex {
  /// Indexes a file. Reads its box headers, `moov` and `moof`. Media is read only if sample entries lack parameter
  /// sets, which are then searched for in key frames. May block.
  ///
  /// - Throws: `MP4Error` if the file is refused permanently, or cannot be read.
  package static func make(of source: some ByteSource) throws(MP4Error) -> IndexOutcome {
    try MovieIndexer.indexing(of: source).outcome
  }
}
