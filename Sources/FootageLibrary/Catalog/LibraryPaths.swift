internal import FootageBase
package import FootageSystem

/// The place of the files that can be rebuilt at any time: catalog, preambles, sample indexes.
package enum DerivedPlace: Hashable, Sendable {
  /// The state folder, which a server uses.
  case inState
  /// A separate folder, for a command that only reads.
  case folder(String)
  /// A temporary folder, which is deleted together with the library.
  case temporary
}

/// The paths of a library's folders and files.
package struct LibraryPaths: Hashable, Sendable {
  /// The recordings folder, absolute and without links.
  package let recordings: String
  /// The folder of a server's own records: lists of kept recordings, records of retention and of the store.
  package let state: String
  /// The folder of the files that can be rebuilt at any time: catalog, preambles, sample indexes, lock. A server keeps
  /// them in its state folder; a command that only reads has a separate folder.
  package let derived: String

  /// The state folder that the operator named, even while a temporary one replaces it.
  package let namedState: String

  package init(recordings: String, state: String, derived: String? = nil, namedState: String? = nil) {
    self.recordings = recordings
    self.state = state
    self.derived = derived ?? state
    self.namedState = namedState ?? state
  }

  /// The paths for recordings that are only in stores: they have no files in any folder.
  package static let nowhere = LibraryPaths(recordings: "", state: "")

  /// The folder of the preambles, sample indexes and manifests.
  package var heads: String { "\(derived)/heads" }
  package var catalog: String { "\(derived)/catalog.sqlite" }
  /// The list of kept recordings whose files cannot be marked themselves. If it is not writable, lines go to
  /// `keptInState`.
  package var keptInFolder: String { "\(recordings)/.footage-kept" }
  package var keptInState: String { "\(namedState)/kept" }
  package var lock: String { "\(derived)/serve.lock" }

  /// The folder through which everything below the recordings folder is opened, so that no symbolic link leads outside.
  private var root: FolderRoot { FolderRoot(recordings) }

  /// Opens a file below the recordings folder. Blocks.
  package func open(_ path: RelativePath) throws(StorageError) -> RandomAccessFile { try root.open(path.text) }

  /// Returns the status of the entry at a path below the recordings folder. Blocks.
  package func status(of path: RelativePath) throws(StorageError) -> FileStatus { try root.status(of: path.text) }

  /// Opens the recordings folder or a folder below it. Blocks.
  package func folder(_ path: RelativePath) throws(StorageError) -> OpenFolder { try root.folder(path.text) }

  /// Opens a folder below the recordings folder and creates the missing folders on the way, but never the recordings
  /// folder itself. Blocks.
  package func makingFolder(_ path: RelativePath) throws(StorageError) -> OpenFolder {
    try root.makingFolder(path.text)
  }

  /// Returns the absolute path of an entry below the recordings folder, for messages, watches and new names. Do not
  /// open a file by this path, because a symbolic link may have replaced a part of it.
  package func location(of path: RelativePath) -> String {
    path.text.isEmpty ? recordings : "\(recordings)/\(path.text)"
  }

  /// Returns the bytes of the absolute path. For a name that is not UTF-8, they differ from the UTF-8 of the text.
  func locationBytes(of path: RelativePath) -> [UInt8] {
    path.text.isEmpty ? Array(recordings.utf8) : Array("\(recordings)/".utf8) + NameBytes.bytes(of: path.text)
  }

  /// Returns the absolute path of the preamble of the version with this tag (without its quotes).
  package func preamble(_ tag: String) -> String { "\(heads)/\(tag)\(Self.preambleSuffix)" }

  /// Returns the absolute path of the sample index of the version with this tag (without its quotes).
  package func index(_ tag: String) -> String { "\(heads)/\(tag)\(Self.indexSuffix)" }

  static let preambleSuffix = ".head"
  static let indexSuffix = ".index"
  static let manifestSuffix = ".manifest"
}
