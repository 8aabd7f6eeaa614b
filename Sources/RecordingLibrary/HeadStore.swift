/// The heads on disk: a file a version, named after its tag, written durably before its row.

internal import Digest
internal import Storage

struct HeadStore {
  let place: LibraryPlace
  /// False for a temporary state folder, which a power cut may take anyway.
  let isDurable: Bool

  /// Stores heads under their tags, all or none of them visible half: each is written under a dot name first. The
  /// syncs of a batch share their journal commits.
  ///
  /// - Throws: `StorageError`; some of the heads may be there then.
  func store(_ heads: [(tag: String, bytes: [UInt8])]) throws(StorageError) {
    guard !heads.isEmpty else { return }
    var files: [TemporaryFile] = []
    for head in heads {
      let file = try TemporaryFile(in: place.heads)
      try file.write(head.bytes)
      files.append(file)
    }
    if isDurable {
      for file in files { file.beginWriteback() }
      for file in files { try file.sync() }
    }
    for (file, head) in zip(files, heads) { try file.rename(replacing: place.head(head.tag)) }
    if isDurable { try FileTree.sync(folder: place.heads) }
  }

  /// Removes heads that nothing refers to; that one is gone already is fine.
  func remove(_ tags: some Sequence<String>) {
    for tag in tags { try? FileTree.remove(place.head(tag)) }
  }

  /// The tags of all heads that are there, after what killed processes left was removed: dot names, and heads that
  /// are not wanted and too old to belong to an ingest that has yet to write its row.
  ///
  /// - Parameter now: nanoseconds since 1970.
  func sweep(wanted: Set<String>, now: Int64) throws(StorageError) -> Set<String> {
    var present: Set<String> = []
    for entry in try FolderListing.entries(of: place.heads) {
      guard let name = entry.name else { continue }
      let path = "\(place.heads)/\(name)"
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

  /// SHA-256 of a head that is yet to be stored.
  static func digest(of head: [UInt8]) -> [UInt8] { SHA256.hash(head) }

  /// SHA-256 of a whole file. Blocks.
  static func digest(of file: RandomAccessFile) throws(StorageError) -> [UInt8] {
    var digest = SHA256()
    var offset: UInt64 = 0
    while offset < file.length {
      let count = min(file.length - offset, 1 << 18)
      digest.update(try file.bytes(at: offset, count: Int(count)))
      offset += count
    }
    return digest.finish()
  }
}
