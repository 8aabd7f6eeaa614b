package import FootageBase

/// Creates the tables of a recorder's file.
extension MovieTables {
  /// Indexes a file and reads the tables of its served bytes. Media is read only if sample entries lack parameter sets,
  /// which are then searched for in key frames. May block.
  ///
  /// - Throws: `MP4Error` if the file is refused permanently, cannot be read, or cannot be served yet.
  package static func make(of source: some ByteSource) throws(MP4Error) -> MovieTables {
    switch try MovieIndex.make(of: source) {
    case .ready(let index): return try make(of: source, by: index)
    case .incomplete(let error): throw error
    }
  }

  /// Reads the tables of a file's served bytes. May block.
  ///
  /// - Parameter index: the index of this file.
  package static func make(of source: some ByteSource, by index: MovieIndex) throws(MP4Error) -> MovieTables {
    // Without a preamble, the file is served as it is.
    guard !index.preamble.isEmpty else { return try MovieTables(served: source, of: index.composition) }
    return try MovieTables(preamble: index.preamble, of: index.composition)
  }
}
