package import FootageSystem
internal import Synchronization

/// The versions of recordings that a store holds, complete and verified. The uploader reports them; the list and
/// retention query them.
///
/// Each version is recorded durably before it is added to this object. The store may have lost it since. Therefore no
/// file is deleted until the store was examined, which happens after every start, and a checker asks the store again
/// before each deletion. All threads may use it; nothing blocks.
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
    /// The versions that the store did not have when it was last asked, while it is not known if the robot still has
    /// them.
    var doubted: Set<Key> = []
    var firstLook = FirstLook.pending
    var checker: (any StoreChecker)?
    /// The reader of files in the store. It limits the duration of its requests by itself.
    var reader: (any StoredFileReader)?
  }

  private let state = Mutex(State())

  package init() {}

  /// - Parameter tag: the tag of the version, without quotes.
  package func contains(_ path: RelativePath, tag: String) -> Bool {
    state.withLock { $0.versions.contains(Key(path: path, tag: tag)) }
  }

  /// Records that the store has this version completely.
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

  /// Records that the store did not have this version when it was asked. It stays listed until a further check.
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

  /// Returns whether the store has been examined since the start and has this version.
  func isConfirmed(_ path: RelativePath, tag: String) -> Bool {
    state.withLock { state in
      let key = Key(path: path, tag: tag)
      return state.firstLook == .done && state.versions.contains(key) && !state.doubted.contains(key)
    }
  }

  /// Sets the checker to ask before a file is deleted; nil removes it, when it can no longer answer.
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

/// A reader of recordings' files in a store, with the same interface as for files on the disk.
package protocol StoredFileReader: Sendable {
  /// Opens the recorder's file. Its bytes are fetched when they are read. Blocks no longer than opening a local file.
  func file(of recording: Recording) throws(StorageError) -> RandomAccessFile
  /// Returns the preamble and the sample index from the store, for recordings whose own files on the disk are damaged
  /// or missing. Blocks for as long as the store takes, within its deadlines.
  func derivedFiles(of recording: Recording) throws(StorageError) -> DerivedFiles
}

extension Recording {
  /// Opens the recorder's file in the store.
  func openStoredFile(in store: StoredVersions) throws(LibraryError) -> RandomAccessFile {
    guard let reader = store.reader else { throw .storeAway(name: name) }
    do throws(StorageError) { return try reader.file(of: self) } catch { throw .storage(error) }
  }
}
