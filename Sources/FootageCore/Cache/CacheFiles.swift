package import FootageSystem

/// A fragment file that is open for reading and writing at any offset. Calls may come from any thread, and block.
package protocol CacheFile: Sendable {
  /// In bytes, as it was when it was opened.
  var length: UInt64 { get }

  /// Exactly so many bytes.
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]

  /// What is in memory, from `offset` on; never waits for a disk.
  ///
  /// - Returns: how many bytes; 0 where they have to be waited for.
  func readImmediately(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int

  /// All of `bytes[part]`, from `offset` on.
  func write(_ bytes: [UInt8], _ part: Range<Int>, at offset: UInt64) throws(StorageError)

  /// Returns when what was written would survive a power cut.
  func sync() throws(StorageError)

  /// Copies a range behind what a file has, without bringing it into this process where the file system can do so.
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

/// Held for as long as the folder is ours.
package protocol CacheLock: Sendable {
  /// False once the folder was deleted or replaced.
  var isIntact: Bool { get }
}

/// The file calls that the cache makes: a seam, so that tests can cut the power between any two of them.
///
/// Calls block.
package protocol CacheFiles: Sendable {
  /// Makes a folder, and those above it, unless it is there.
  func createFolder(_ path: String) throws(StorageError)
  /// The names in a folder.
  func names(in folder: String) throws(StorageError) -> [String]
  /// A file that is not there yet.
  func create(_ path: String) throws(StorageError) -> any CacheFile
  func open(_ path: String) throws(StorageError) -> any CacheFile
  /// A file that is never written to through what is returned, and need not be one that can be.
  func openToRead(_ path: String) throws(StorageError) -> any CacheFile
  func rename(_ path: String, to target: String) throws(StorageError)
  /// That it is gone already is fine.
  func remove(_ path: String) throws(StorageError)
  /// Makes the names in a folder durable.
  func sync(folder: String) throws(StorageError)
  /// - Throws: `.wouldBlock` where another process holds it.
  func lock(_ path: String) throws(StorageError) -> any CacheLock
  /// - Returns: nil where a newer footage wrote it.
  func openIndex(_ path: String) throws(SQLiteError) -> (any RangeIndex)?
  /// What an index says that cannot be written, or is another process's; nothing is written for it.
  ///
  /// - Returns: nil where a newer footage wrote it.
  func readIndex(_ path: String) throws(SQLiteError) -> [Int64: CacheRecord]?
  /// True if an index of a cache's lies there, whichever footage wrote it; nothing is written.
  func isIndex(_ path: String) -> Bool
  /// True if two files have one owner and one mode, as have all that one program has made for itself, and all on a file
  /// system that keeps neither; false if one of them is not there.
  func isAlike(_ path: String, _ other: String) -> Bool
}

extension CacheFiles {
  package func isIndex(_ path: String) -> Bool { ((try? readIndex(path)) ?? nil) != nil }
  package func isAlike(_ path: String, _ other: String) -> Bool { true }

  /// Writes a file, or another one in its place: whole or not at all.
  func replace(_ path: String, by bytes: [UInt8]) throws(StorageError) {
    let draft = try draft(of: path, with: bytes)
    do throws(StorageError) { try rename(draft, to: path) } catch {
      try? remove(draft)
      throw error
    }
  }

  /// Writes what is to take a file's place.
  ///
  /// - Returns: where it is, to be renamed.
  func draft(of path: String, with bytes: [UInt8]) throws(StorageError) -> String {
    let draft = "\(path).draft"
    try remove(draft)
    do throws(StorageError) {
      let file = try create(draft)
      try file.write(bytes, 0..<bytes.count, at: 0)
      // Without it, a power cut could leave an empty file under the name.
      try file.sync()
    } catch {
      try? remove(draft)
      throw error
    }
    return draft
  }
}
