package import FootageBase

/// From a recorder's file to its index.
extension MovieIndex {
  /// Indexes a file. Reads its box headers, `moov` and `moof`, never its media. May block.
  ///
  /// - Throws: `MP4Error` where the file is refused for good, or cannot be read.
  package static func make(of source: some ByteSource) throws(MP4Error) -> IndexOutcome {
    try MovieIndexer.indexing(of: source).outcome
  }
}
