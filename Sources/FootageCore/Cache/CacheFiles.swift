package import FootageSystem

/// A fragment file that is open for reading and writing at any offset. Calls may come from any thread, and block.
package protocol CacheFile: Sendable {
  /// The length in bytes at the time when the file was opened.
  var length: UInt64 { get }

  /// Reads exactly `count` bytes.
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]

  /// Reads the bytes from `offset` on that are in memory; never waits for a disk.
  ///
  /// - Returns: the number of bytes; 0 if reading them would wait.
  func readImmediately(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int

  /// Writes all of `bytes[part]`, from `offset` on.
  func write(_ bytes: [UInt8], _ part: Range<Int>, at offset: UInt64) throws(StorageError)

  /// Returns when everything written would survive a power cut.
  func sync() throws(StorageError)

  /// Appends a range to another file. The bytes do not pass through this process if the file system can copy them
  /// itself.
  func append(_ range: Range<UInt64>, to file: TemporaryFile) throws(StorageError)
}

extension CacheFile {
  package func append(_ range: Range<UInt64>, to file: TemporaryFile) throws(StorageError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(1 << 18, range.upperBound - offset))
      try file.write(try read(at: offset, count: count))
      offset += UInt64(count)
    }
  }
}

/// A lock that is held for as long as the folder belongs to this cache.
package protocol CacheLock: Sendable {
  /// True until the folder is deleted or replaced.
  var isIntact: Bool { get }
}

/// The file operations of the cache. They form a protocol so that tests can cut the power between any two of them.
///
/// Calls block.
package protocol CacheFiles: Sendable {
  /// Creates a folder and the folders above it, unless they exist.
  func createFolder(_ path: String) throws(StorageError)
  /// Returns the names in a folder.
  func names(in folder: String) throws(StorageError) -> [String]
  /// Creates a file that does not exist yet.
  func create(_ path: String) throws(StorageError) -> any CacheFile
  func open(_ path: String) throws(StorageError) -> any CacheFile
  /// Opens a file only for reading. The file need not be writable.
  func openToRead(_ path: String) throws(StorageError) -> any CacheFile
  func rename(_ path: String, to target: String) throws(StorageError)
  /// Removes a file. It is not an error if the file does not exist.
  func remove(_ path: String) throws(StorageError)
  /// Makes the names in a folder durable.
  func sync(folder: String) throws(StorageError)
  /// - Throws: `.wouldBlock` if another process holds the lock.
  func lock(_ path: String) throws(StorageError) -> any CacheLock
  /// - Returns: nil if a newer version of Footage wrote the index.
  func openIndex(_ path: String) throws(SQLiteError) -> (any RangeIndex)?
  /// Reads an index that cannot be written, or belongs to another process. Nothing is written.
  ///
  /// - Returns: nil if a newer version of Footage wrote the index.
  func readIndex(_ path: String) throws(SQLiteError) -> [Int64: CacheRecord]?
  /// Returns true if the file is the index of a cache, written by any version of Footage. Nothing is written.
  func isIndex(_ path: String) -> Bool
  /// Returns true if two files have the same owner and the same mode. This is true for all files that one program
  /// created for itself, and for all files on a file system that stores neither owners nor modes. Returns false if one
  /// of the files is missing.
  func isAlike(_ path: String, _ other: String) -> Bool
}

extension CacheFiles {
  package func isIndex(_ path: String) -> Bool { ((try? readIndex(path)) ?? nil) != nil }
  package func isAlike(_ path: String, _ other: String) -> Bool { true }

  /// Writes or replaces a file, completely or not at all.
  func replace(_ path: String, by bytes: [UInt8]) throws(StorageError) {
    let draft = try draft(of: path, with: bytes)
    do throws(StorageError) { try rename(draft, to: path) } catch {
      try? remove(draft)
      throw error
    }
  }

  /// Writes a draft: a file that is renamed to replace another one.
  func draft(of path: String, with bytes: [UInt8]) throws(StorageError) -> String {
    let draft = "\(path).draft"
    try remove(draft)
    do throws(StorageError) {
      let file = try create(draft)
      try file.write(bytes, 0..<bytes.count, at: 0)
      // Without the sync, a power cut could leave an empty file under the name.
      try file.sync()
    } catch {
      try? remove(draft)
      throw error
    }
    return draft
  }
}
