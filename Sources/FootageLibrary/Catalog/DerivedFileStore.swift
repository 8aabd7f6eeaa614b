/// What is kept of each version beside its row: preambles and sample indexes, files named after its tag and written
/// before its row.

internal import FootageDigest
internal import FootageBase
package import FootageSystem

/// What a look at a file brings to be kept as files.
package struct DerivedFiles: Sendable {
  /// Nil where the file is served as it is.
  package var preamble: BoundComposition?
  /// The sample index; nil where none can be made.
  package var index: BoundComposition?
  /// Whether each byte is compared with what its robot has signed when it is read: then neither need be read whole first.
  package var isProved: Bool

  package init(preamble: BoundComposition? = nil, index: BoundComposition? = nil, isProved: Bool = false) {
    self.preamble = preamble
    self.index = index
    self.isProved = isProved
  }

  /// In bytes.
  var length: UInt64 { (preamble?.length ?? 0).addingClamped(index?.length ?? 0) }
}

/// Nothing here is synced: each file can be made again out of the recorder's, and the digest in its row tells one that a
/// power cut took.
struct DerivedFileStore {
  /// Versions by their tags, with which files each has.
  struct Tags: Equatable {
    var preambles: Set<String> = []
    var indexes: Set<String> = []
  }

  let place: LibraryPaths

  private static var suffixes: [(suffix: String, tags: WritableKeyPath<Tags, Set<String>>)] {
    [(LibraryPaths.preambleSuffix, \.preambles), (LibraryPaths.indexSuffix, \.indexes)]
  }

  /// Stores what there is of a version under its tag, each file whole or not at all: it is written under a dot name
  /// first.
  func store(_ files: DerivedFiles, tag: String) throws(StorageError) {
    if let preamble = files.preamble { try store(preamble, as: place.preamble(tag)) }
    if let index = files.index { try store(index, as: place.index(tag)) }
  }

  private func store(_ bytes: BoundComposition, as target: String) throws(StorageError) {
    let file = try TemporaryFile(in: place.heads)
    try file.append(bytes)
    try file.rename(replacing: target)
  }

  /// Removes all that is kept of versions to which nothing refers; that it is gone already is fine.
  func remove(_ tags: some Sequence<String>) {
    for tag in tags {
      try? FileTree.remove(place.preamble(tag))
      try? FileTree.remove(place.index(tag))
    }
  }

  /// What there is, after what killed processes left was removed: dot names, and files that are not wanted and too old
  /// to belong to an ingest that has yet to write its row.
  ///
  /// - Parameter now: nanoseconds since 1970.
  /// - Returns: of what is wanted, what is there.
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

  /// Nil where the name is none of ours.
  private static func meaning(of name: String) -> (tag: String, tags: WritableKeyPath<Tags, Set<String>>)? {
    for (suffix, tags) in suffixes {
      let (name, suffix) = (name.utf8, suffix.utf8)
      guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else { continue }
      return (String(decoding: name.dropLast(suffix.count), as: UTF8.self), tags)
    }
    return nil
  }

  /// SHA-256 of all bytes. Blocks.
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
