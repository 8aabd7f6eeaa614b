/// The files that are kept for each version beside its row: preambles and sample indexes. They are named after its tag
/// and written before its row.

internal import FootageDigest
internal import FootageBase
package import FootageSystem

/// The files that an examination of a recording produces, to be kept.
package struct DerivedFiles: Sendable {
  /// The preamble; nil if the file is served as it is.
  package var preamble: BoundComposition?
  /// The sample index; nil if none can be made.
  package var index: BoundComposition?
  /// True if each byte is compared with the robot's signed digests when it is read. Neither file then has to be read
  /// and verified as a whole first.
  package var isProved: Bool

  package init(preamble: BoundComposition? = nil, index: BoundComposition? = nil, isProved: Bool = false) {
    self.preamble = preamble
    self.index = index
    self.isProved = isProved
  }

  /// The length of the preamble and the index together, in bytes.
  var length: UInt64 { (preamble?.length ?? 0).addingClamped(index?.length ?? 0) }
}

/// A store of preambles and indexes. The files are not synced: each can be rebuilt from the recorder's file, and the
/// digest in its row reveals damage after a power cut.
struct DerivedFileStore {
  /// The tags of versions, by the kind of file that each has.
  struct Tags: Equatable {
    var preambles: Set<String> = []
    var indexes: Set<String> = []
  }

  let place: LibraryPaths

  private static var suffixes: [(suffix: String, tags: WritableKeyPath<Tags, Set<String>>)] {
    [(LibraryPaths.preambleSuffix, \.preambles), (LibraryPaths.indexSuffix, \.indexes)]
  }

  /// Stores the files of a version under its tag. Each is written under a name that begins with a dot and then renamed,
  /// so that it appears completely or not at all.
  func store(_ files: DerivedFiles, tag: String) throws(StorageError) {
    if let preamble = files.preamble { try store(preamble, as: place.preamble(tag)) }
    if let index = files.index { try store(index, as: place.index(tag)) }
  }

  private func store(_ bytes: BoundComposition, as target: String) throws(StorageError) {
    let file = try TemporaryFile(in: place.heads)
    try file.append(bytes)
    try file.rename(replacing: target)
  }

  /// Removes all files of versions that nothing refers to. It is not an error if a file does not exist any more.
  func remove(_ tags: some Sequence<String>) {
    for tag in tags {
      try? FileTree.remove(place.preamble(tag))
      try? FileTree.remove(place.index(tag))
    }
  }

  /// Removes leftovers of killed processes: files whose names begin with a dot, and files that no row needs. A recent
  /// one of these is kept, because a running ingest may write its row next.
  ///
  /// - Parameter now: nanoseconds since 1970.
  /// - Returns: the wanted files that exist.
  func sweep(wanted: Tags, now: Int64) throws(StorageError) -> Tags {
    var present = Tags()
    for entry in try FolderListing.entries(of: place.heads) {
      guard let name = entry.name else { continue }
      let path = "\(place.heads)/\(name)"
      if name.utf8.starts(with: TemporaryFile.namePrefix.utf8) {
        TemporaryFile.sweep(path)
      } else if let (tag, tags) = Self.meaning(of: name) {
        if wanted[keyPath: tags].contains(tag) {
          present[keyPath: tags].insert(tag)
        } else if let status = try? FileStatus.of(path),
          now - status.version.modifiedNanoseconds > LibraryLimits.orphanNanoseconds
        {
          try FileTree.remove(path)
        }
      }
    }
    return present
  }

  /// Returns the tag and the kind of a file; nil if the name is not that of a derived file.
  private static func meaning(of name: String) -> (tag: String, tags: WritableKeyPath<Tags, Set<String>>)? {
    for (suffix, tags) in suffixes {
      let (name, suffix) = (name.utf8, suffix.utf8)
      guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else { continue }
      return (String(decoding: name.dropLast(suffix.count), as: UTF8.self), tags)
    }
    return nil
  }

  /// Returns the SHA-256 of all bytes. Blocks.
  static func digest(of source: some ByteSource<StorageError>) throws(StorageError) -> [UInt8] {
    var digest = SHA256()
    var offset: UInt64 = 0
    while offset < source.length {
      let count = min(source.length - offset, 1 << 18)
      digest.update(try source.bytes(at: offset, count: Int(count)))
      offset += count
    }
    return digest.finish()
  }
}
