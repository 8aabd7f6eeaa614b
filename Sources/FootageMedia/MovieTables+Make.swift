package import FootageBase

/// From a recorder's file to its tables.
extension MovieTables {
  /// Indexes a file and reads the tables of what is served of it. Never reads its media. May block.
  ///
  /// - Throws: `MP4Error` where the file is refused for good, cannot be read, or cannot be served yet.
  package static func make(of source: some ByteSource) throws(MP4Error) -> MovieTables {
    switch try MovieIndex.make(of: source) {
    case .ready(let index): return try make(of: source, by: index)
    case .incomplete(let error): throw error
    }
  }

  /// The tables of what is served of a file. May block.
  ///
  /// - Parameter index: of this file.
  package static func make(of source: some ByteSource, by index: MovieIndex) throws(MP4Error) -> MovieTables {
    // Without a preamble the file is served as it is.
    guard !index.preamble.isEmpty else { return try MovieTables(served: source, of: index.composition) }
    return try MovieTables(preamble: index.preamble, of: index.composition)
  }
}
