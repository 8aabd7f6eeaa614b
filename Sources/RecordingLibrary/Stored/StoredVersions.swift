package import Storage
internal import Synchronization

/// Which versions of recordings a store holds, whole and proved: told by whoever brings them there, asked by whoever
/// lists them and makes room.
///
/// What is in here was durably written down before. To be shared by all threads; nothing waits.
package final class StoredVersions: Sendable {
  private struct Key: Hashable {
    let path: RelativePath
    let tag: String
  }

  private struct State {
    var versions: Set<Key> = []
    /// How long what the store is asked for may take is its own affair.
    var reader: (any StoredFileReader)?
  }

  private let state = Mutex(State())

  package init() {}

  /// - Parameter tag: the version's, without quotes.
  package func contains(_ path: RelativePath, tag: String) -> Bool {
    state.withLock { $0.versions.contains(Key(path: path, tag: tag)) }
  }

  package func insert(_ path: RelativePath, tag: String) {
    state.withLock { _ = $0.versions.insert(Key(path: path, tag: tag)) }
  }

  package func remove(_ path: RelativePath, tag: String) {
    state.withLock { _ = $0.versions.remove(Key(path: path, tag: tag)) }
  }

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
