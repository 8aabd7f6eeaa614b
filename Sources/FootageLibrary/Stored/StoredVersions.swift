package import FootageSystem
internal import Synchronization

/// Which versions of recordings a store holds, whole and proved: told by whoever brings them there, asked by whoever
/// lists them and makes room.
///
/// What is in here was durably written down before. That the store has it still is a belief: nothing is deleted because
/// of it before the store was looked at, which every start does, and a checker is asked again before each deletion. To
/// be shared by all threads; nothing waits.
package final class StoredVersions: Sendable {
  /// How far the look at the store has come that every start makes.
  package enum FirstLook: Hashable, Sendable {
    case pending
    /// The store could not be looked at; it is tried again.
    case failed
    case done
  }

  private struct Key: Hashable {
    let path: RelativePath
    let tag: String
  }

  private struct State {
    var versions: Set<Key> = []
    /// The store did not have these when it was asked last, and it is not known yet whether the robot does.
    var doubted: Set<Key> = []
    var firstLook = FirstLook.pending
    var checker: (any StoreChecker)?
    /// How long what the store is asked for may take is its own affair.
    var reader: (any StoredFileReader)?
  }

  private let state = Mutex(State())

  package init() {}

  /// - Parameter tag: the version's, without quotes.
  package func contains(_ path: RelativePath, tag: String) -> Bool {
    state.withLock { $0.versions.contains(Key(path: path, tag: tag)) }
  }

  /// The store has this version: it was seen there whole.
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

  /// The store did not have this version when it was asked; it stays on the list until more is known.
  package func doubt(_ path: RelativePath, tag: String) {
    state.withLock { _ = $0.doubted.insert(Key(path: path, tag: tag)) }
  }

  /// The look at the store that every start makes has ended, or has failed for now; a later failure changes nothing.
  package func noteFirstLook(hasSucceeded: Bool) {
    state.withLock { state in
      guard state.firstLook != .done else { return }
      state.firstLook = hasSucceeded ? .done : .failed
    }
  }

  package var firstLook: FirstLook { state.withLock { $0.firstLook } }

  /// Whether the store was looked at since the start and had this version.
  func isConfirmed(_ path: RelativePath, tag: String) -> Bool {
    state.withLock { state in
      let key = Key(path: path, tag: tag)
      return state.firstLook == .done && state.versions.contains(key) && !state.doubted.contains(key)
    }
  }

  /// Who is asked before a file goes; nil for nobody, once no answers are to be had any more.
  package func check(by checker: (any StoreChecker)?) { state.withLock { $0.checker = checker } }

  var checker: (any StoreChecker)? { state.withLock { $0.checker } }

  package var count: Int { state.withLock { $0.versions.count } }

  /// Who reads what is nowhere else. Until it is there, such recordings are listed and cannot be opened.
  package func read(by reader: any StoredFileReader) { state.withLock { $0.reader = reader } }

  func derivedFiles(of recording: Recording) throws(LibraryError) -> DerivedFiles {
    guard let reader else { throw .storeAway(name: recording.name) }
    do throws(StorageError) { return try reader.derivedFiles(of: recording) } catch { throw .storage(error) }
  }

  var reader: (any StoredFileReader)? { state.withLock { $0.reader } }
}

/// Reads the files of a store's recordings as if they were on the disk.
package protocol StoredFileReader: Sendable {
  /// The recorder's file. Its bytes come when they are read. Blocks no longer than a look at the local disk takes.
  func file(of recording: Recording) throws(StorageError) -> RandomAccessFile
  /// What was served before the file, and the sample index, as the store has them: for those that are damaged here, or
  /// gone. Blocks for as long as the store takes, within its deadlines.
  func derivedFiles(of recording: Recording) throws(StorageError) -> DerivedFiles
}

extension Recording {
  /// The recorder's file, out of the store.
  func openStoredFile(in store: StoredVersions) throws(LibraryError) -> RandomAccessFile {
    guard let reader = store.reader else { throw .storeAway(name: name) }
    do throws(StorageError) { return try reader.file(of: self) } catch { throw .storage(error) }
  }
}
