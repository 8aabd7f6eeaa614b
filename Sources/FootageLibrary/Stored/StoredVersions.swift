package import FootageSystem
internal import Synchronization

/// The versions of recordings that a store holds, complete and verified. The uploader reports them; the list and
/// retention query them.
///
/// Everything in here was durably recorded first. That the store still has it is only a belief. No file is deleted
/// because of it until the store was examined, as it is after every start, and a checker asks again before each
/// deletion. All threads may share it; nothing blocks.
package final class StoredVersions: Sendable {
  /// The progress of the examination of the store that follows every start.
  package enum FirstLook: Hashable, Sendable {
    case pending
    /// The store could not be examined; this is retried.
    case failed
    case done
  }

  private struct Key: Hashable {
    let path: RelativePath
    let tag: String
  }

  private struct State {
    var versions: Set<Key> = []
    /// The versions that the store did not have when it was last asked, while it is unknown whether the robot has them.
    var doubted: Set<Key> = []
    var firstLook = FirstLook.pending
    var checker: (any StoreChecker)?
    /// The reader of files in the store. The duration of its requests is its own concern.
    var reader: (any StoredFileReader)?
  }

  private let state = Mutex(State())

  package init() {}

  /// - Parameter tag: the tag of the version, without quotes.
  package func contains(_ path: RelativePath, tag: String) -> Bool {
    state.withLock { $0.versions.contains(Key(path: path, tag: tag)) }
  }

  /// Records that the store has this version: it was found there complete.
  package func insert(_ path: RelativePath, tag: String) {
    state.withLock { state in
      _ = state.versions.insert(Key(path: path, tag: tag))
      _ = state.doubted.remove(Key(path: path, tag: tag))
    }
  }

  package func remove(_ path: RelativePath, tag: String) {
    state.withLock { state in
      _ = state.versions.remove(Key(path: path, tag: tag))
      _ = state.doubted.remove(Key(path: path, tag: tag))
    }
  }

  /// Records that the store did not have this version when it was asked. It stays listed until more is known.
  package func doubt(_ path: RelativePath, tag: String) {
    state.withLock { _ = $0.doubted.insert(Key(path: path, tag: tag)) }
  }

  /// Records that the first examination of the store has ended, or has failed for now. A failure after success is
  /// ignored.
  package func noteFirstLook(hasSucceeded: Bool) {
    state.withLock { state in
      guard state.firstLook != .done else { return }
      state.firstLook = hasSucceeded ? .done : .failed
    }
  }

  package var firstLook: FirstLook { state.withLock { $0.firstLook } }

  /// Returns whether the store was examined since the start and had this version.
  func isConfirmed(_ path: RelativePath, tag: String) -> Bool {
    state.withLock { state in
      let key = Key(path: path, tag: tag)
      return state.firstLook == .done && state.versions.contains(key) && !state.doubted.contains(key)
    }
  }

  /// Sets the checker to ask before a file is deleted; nil for none, once answers are no longer available.
  package func check(by checker: (any StoreChecker)?) { state.withLock { $0.checker = checker } }

  var checker: (any StoreChecker)? { state.withLock { $0.checker } }

  package var count: Int { state.withLock { $0.versions.count } }

  /// Sets the reader of recordings that are only in the store. Until it is set, they are listed but cannot be opened.
  package func read(by reader: any StoredFileReader) { state.withLock { $0.reader = reader } }

  func derivedFiles(of recording: Recording) throws(LibraryError) -> DerivedFiles {
    guard let reader else { throw .storeAway(name: recording.name) }
    do throws(StorageError) { return try reader.derivedFiles(of: recording) } catch { throw .storage(error) }
  }

  var reader: (any StoredFileReader)? { state.withLock { $0.reader } }
}

/// A reader of the files of a store's recordings as if they were on the disk.
package protocol StoredFileReader: Sendable {
  /// Opens the recorder's file. Its bytes are fetched when they are read. Blocks no longer than opening a local file.
  func file(of recording: Recording) throws(StorageError) -> RandomAccessFile
  /// Returns the preamble and the sample index from the store, for recordings whose own files here are damaged or gone.
  /// Blocks for as long as the store takes, within its deadlines.
  func derivedFiles(of recording: Recording) throws(StorageError) -> DerivedFiles
}

extension Recording {
  /// Opens the recorder's file in the store.
  func openStoredFile(in store: StoredVersions) throws(LibraryError) -> RandomAccessFile {
    guard let reader = store.reader else { throw .storeAway(name: name) }
    do throws(StorageError) { return try reader.file(of: self) } catch { throw .storage(error) }
  }
}
