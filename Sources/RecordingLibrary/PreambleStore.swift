/// The preambles on disk: a file a version, named after its tag, written before its row.

internal import Digest
internal import Formats
internal import Storage
internal import System

/// Nothing here is synced: each preamble can be made again out of the recorder's file, and the digest in its row tells
/// one that a power cut took.
struct PreambleStore {
  let place: LibraryPaths

  /// Stores a preamble under its tag, whole or not at all: it is written under a dot name first.
  func store(_ preamble: BoundComposition, tag: String) throws(StorageError) {
    let file = try TemporaryFile(in: place.preambles)
    try file.append(preamble)
    try file.rename(replacing: place.preamble(tag))
  }

  /// Removes preambles that nothing refers to; that one is gone already is fine.
  func remove(_ tags: some Sequence<String>) {
    for tag in tags { try? FileTree.remove(place.preamble(tag)) }
  }

  /// The tags of all preambles that are there, after what killed processes left was removed: dot names, and preambles
  /// that are not wanted and too old to belong to an ingest that has yet to write its row.
  ///
  /// - Parameter now: nanoseconds since 1970.
  func sweep(wanted: Set<String>, now: Int64) throws(StorageError) -> Set<String> {
    var present: Set<String> = []
    for entry in try FolderListing.entries(of: place.preambles) {
      guard let name = entry.name else { continue }
      let path = "\(place.preambles)/\(name)"
      if name.utf8.starts(with: TemporaryFile.namePrefix.utf8) {
        TemporaryFile.sweep(path)
      } else if name.utf8.count > 5, name.utf8.suffix(5).elementsEqual(".head".utf8) {
        let tag = String(decoding: name.utf8.dropLast(5), as: UTF8.self)
        if wanted.contains(tag) {
          present.insert(tag)
        } else if let status = try? FileStatus.of(path),
          now - status.version.modifiedNanoseconds > LibraryLimits.orphanNanoseconds
        {
          try FileTree.remove(path)
        }
      }
    }
    return present
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
