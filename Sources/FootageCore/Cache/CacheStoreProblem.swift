internal import FootageSystem

/// The reason why the cache folder cannot be written, with the details that distinguish the remedies.
enum CacheStoreProblem: Error, Hashable, Sendable {
  case files(StorageError)
  case index(SQLiteError)
  /// The folder is not a cache of Footage: it contains something with this name.
  case notOurs(name: String)

  /// True if the cause is a lack of room on the disk.
  var isFull: Bool {
    switch self {
    case .files(let error): error.isForLackOfRoom
    // SQLITE_IOERR_SHMSIZE: there is no room for the memory that the readers of an index share.
    case .index(let error): error.kind == .full || error.code == 4874
    case .notOurs: false
    }
  }

  /// Returns the problem as an error of the cache.
  func error(_ folder: String) -> MediaCacheError {
    switch self {
    case .files(let error): error.reason == .system(.wouldBlock) ? .owned(folder: folder) : .folder(FileFailure(error))
    case .index(let error): .database(FileFailure(error))
    case .notOurs(let name):
      .folder(
        FileFailure(
          .notOurs,
          "\(folder) is not a Footage cache: it contains \(name), which is left as it is; give the cache a folder of its own"
        ))
    }
  }

  /// Runs `body`, and throws its errors as problems of the folder.
  static func files<Result>(_ body: () throws(StorageError) -> Result) throws(CacheStoreProblem) -> Result {
    do throws(StorageError) { return try body() } catch { throw .files(error) }
  }

  /// Runs `body`, and throws its errors as problems of the index.
  static func index<Result>(_ body: () throws(SQLiteError) -> Result) throws(CacheStoreProblem) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .index(error) }
  }
}

extension StorageError {
  /// True if the file system is full, or the user's share of it.
  var isForLackOfRoom: Bool { reason == .system(.noSpaceLeft) || reason == .system(.diskQuotaExceeded) }
}

/// A stand-in for an index that cannot be written. Every call that would change it fails.
final class UnwritableIndex: RangeIndex {
  private let failure: SQLiteError

  init(path: String) {
    // SQLITE_READONLY.
    failure = SQLiteError(code: 8, message: "it is open for reading only", sql: nil, path: path)
  }

  func load() throws(SQLiteError) -> [Int64: CacheRecord] { [:] }
  func insert(_ records: [CacheRecord]) throws(SQLiteError) -> [Int64] { throw failure }
  func add(
    _ fragments: [ChecksummedRange], insteadOf former: [ChecksummedRange], to id: Int64, durably: Bool
  ) throws(SQLiteError) { throw failure }
  func replace(_ fragments: [ChecksummedRange], by rests: [ChecksummedRange], of id: Int64) throws(SQLiteError) {
    throw failure
  }
  func update(_ record: CacheRecord, _ id: Int64, durably: Bool) throws(SQLiteError) { throw failure }
  func remove(_ ids: [Int64]) throws(SQLiteError) { throw failure }
}
