internal import FootageSystem

/// Why the cache folder cannot be written, with what tells one remedy from another.
enum CacheStoreProblem: Error, Hashable, Sendable {
  case files(StorageError)
  case index(SQLiteError)
  /// The folder is no cache of Footage's: it holds something of this name.
  case notOurs(name: String)

  /// Whether room on the disk is what is missing.
  var isFull: Bool {
    switch self {
    case .files(let error): error.isForLackOfRoom
    // SQLITE_IOERR_SHMSIZE: no room for what the readers of an index share.
    case .index(let error): error.kind == .full || error.code == 4874
    case .notOurs: false
    }
  }

  /// In the words of the cache.
  func error(_ folder: String) -> MediaCacheError {
    switch self {
    case .files(let error): error.reason == .system(.wouldBlock) ? .owned(folder: folder) : .folder(FileFailure(error))
    case .index(let error): .database(FileFailure(error))
    case .notOurs(let name):
      .folder(
        FileFailure(
          .notOurs,
          "\(folder) is no cache of Footage's: \(name) is in it, and stays as it is; give the cache a folder of its own"
        ))
    }
  }

  /// Runs `body`, whose failures are the folder's.
  static func files<Result>(_ body: () throws(StorageError) -> Result) throws(CacheStoreProblem) -> Result {
    do throws(StorageError) { return try body() } catch { throw .files(error) }
  }

  /// Runs `body`, whose failures are the index's.
  static func index<Result>(_ body: () throws(SQLiteError) -> Result) throws(CacheStoreProblem) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .index(error) }
  }
}

extension StorageError {
  /// Whether the file system, or the user's share of it, is full.
  var isForLackOfRoom: Bool { reason == .system(.noSpaceLeft) || reason == .system(.diskQuotaExceeded) }
}

/// Stands in for an index that cannot be written: all that would change it fails.
final class UnwritableIndex: RangeIndex {
  private let failure: SQLiteError

  init(path: String) {
    // SQLITE_READONLY.
    failure = SQLiteError(code: 8, message: "it is open to be read alone", sql: nil, path: path)
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
