internal import FootageBase
package import FootageSystem

/// Where a library keeps what can be built again at any time: catalog, preambles, sample indexes.
package enum DerivedPlace: Hashable, Sendable {
  /// In the state, as a server does.
  case inState
  /// In a folder of the command's own, which only reads.
  case folder(String)
  /// In a temporary folder, which goes away with the library.
  case temporary
}

/// Where a library's files are.
package struct LibraryPaths: Hashable, Sendable {
  /// Of the recordings, absolute and without links.
  package let recordings: String
  /// Of what a server keeps for itself: lists of kept recordings, records of making room and of the store.
  package let state: String
  /// Of what can be built again at any time: catalog, preambles, sample indexes, lock. A server has them in its state; a
  /// command that only reads has some of its own elsewhere.
  package let derived: String

  /// The state folder that the operator has named, also while a temporary one stands in for it.
  package let namedState: String

  package init(recordings: String, state: String, derived: String? = nil, namedState: String? = nil) {
    self.recordings = recordings
    self.state = state
    self.derived = derived ?? state
    self.namedState = namedState ?? state
  }

  /// Of recordings that are in stores alone: nothing of them lies in a folder.
  package static let nowhere = LibraryPaths(recordings: "", state: "")

  /// The folder of the preambles, sample indexes and manifests.
  package var heads: String { "\(derived)/heads" }
  package var catalog: String { "\(derived)/catalog.sqlite" }
  /// The lists of kept recordings that cannot carry their own mark: among the recordings, and where that cannot be.
  package var keptInFolder: String { "\(recordings)/.footage-kept" }
  package var keptInState: String { "\(namedState)/kept" }
  package var lock: String { "\(derived)/serve.lock" }

  /// Through which everything below the recordings folder is opened, so that nothing else is.
  private var root: FolderRoot { FolderRoot(recordings) }

  /// Opens a file below the recordings folder. Blocks.
  package func open(_ path: RelativePath) throws(StorageError) -> RandomAccessFile { try root.open(path.text) }

  /// What is at a path below the recordings folder. Blocks.
  package func status(of path: RelativePath) throws(StorageError) -> FileStatus { try root.status(of: path.text) }

  /// Opens a folder below the recordings folder, or that one itself. Blocks.
  package func folder(_ path: RelativePath) throws(StorageError) -> OpenFolder { try root.folder(path.text) }

  /// Opens a folder below the recordings folder, and makes what is missing on the way to it; never the recordings folder
  /// itself. Blocks.
  package func makingFolder(_ path: RelativePath) throws(StorageError) -> OpenFolder {
    try root.makingFolder(path.text)
  }

  /// The absolute path of what is below the recordings folder: for words, watches and new names. What is there by now
  /// may be a link to elsewhere, so that nothing is opened by it.
  package func location(of path: RelativePath) -> String {
    path.text.isEmpty ? recordings : "\(recordings)/\(path.text)"
  }

  /// Its bytes: what the text has of a name that is not UTF-8 is on no disk.
  func locationBytes(of path: RelativePath) -> [UInt8] {
    path.text.isEmpty ? Array(recordings.utf8) : Array("\(recordings)/".utf8) + NameBytes.bytes(of: path.text)
  }

  /// The absolute path of the preamble of the version with this tag (without its quotes).
  package func preamble(_ tag: String) -> String { "\(heads)/\(tag)\(Self.preambleSuffix)" }

  /// The absolute path of the sample index of the version with this tag (without its quotes).
  package func index(_ tag: String) -> String { "\(heads)/\(tag)\(Self.indexSuffix)" }

  static let preambleSuffix = ".head"
  static let indexSuffix = ".index"
  static let manifestSuffix = ".manifest"
}
