internal import FootageBase
package import FootageSystem

/// The files of the cache, in the file system of the operating system.
package struct SystemCacheFiles: CacheFiles {
  package init() {}

  package func createFolder(_ path: String) throws(StorageError) { try FileTree.createFolders(path) }

  package func names(in folder: String) throws(StorageError) -> [String] {
    try FolderListing.entries(of: folder).compactMap(\.name)
  }

  package func create(_ path: String) throws(StorageError) -> any CacheFile {
    try SystemCacheFile(path: path, .new)
  }

  package func open(_ path: String) throws(StorageError) -> any CacheFile {
    try SystemCacheFile(path: path, .existing)
  }

  package func openToRead(_ path: String) throws(StorageError) -> any CacheFile {
    try SystemCacheFile(reading: path)
  }

  package func rename(_ path: String, to target: String) throws(StorageError) {
    try FileTree.rename(path, replacing: target)
  }

  package func remove(_ path: String) throws(StorageError) { try FileTree.remove(path) }

  package func sync(folder: String) throws(StorageError) { try FileTree.sync(folder: folder) }

  package func lock(_ path: String) throws(StorageError) -> any CacheLock {
    let lock = try FileLock(path: path)
    return SystemCacheLock(lock: lock, path: path, identity: try FileStatus.of(path).version.identity)
  }

  package func openIndex(_ path: String) throws(SQLiteError) -> (any RangeIndex)? {
    try RangeDatabase.open(Self.withoutLinks(path))
  }

  package func readIndex(_ path: String) throws(SQLiteError) -> [Int64: CacheRecord]? {
    try RangeDatabase.read(Self.withoutLinks(path))
  }

  package func isIndex(_ path: String) -> Bool { RangeDatabase.owner.finding(at: Self.withoutLinks(path)) == .ours }

  /// Returns the path without symbolic links in its folder. SQLite follows no link, and a user's folder may be reached
  /// through one.
  private static func withoutLinks(_ path: String) -> String {
    guard let folder = try? FileTree.canonical(FileTree.folder(of: path)) else { return path }
    return "\(folder)/\(FileTree.name(of: path))"
  }

  package func isAlike(_ path: String, _ other: String) -> Bool {
    guard let one = try? FileStatus.of(path), let two = try? FileStatus.of(other) else { return false }
    return one.owner == two.owner && one.mode == two.mode
  }
}

/// A file of a version that is open for reading, and perhaps for writing.
struct SystemCacheFile: CacheFile {
  /// The file for writing; nil if the file is only read.
  private let writer: WritableFile?
  private let reader: RandomAccessFile

  init(path: String, _ opening: WritableFile.Opening) throws(StorageError) {
    try self.init(writing: try WritableFile(path: path, opening))
  }

  init(writing file: WritableFile) throws(StorageError) {
    writer = file
    reader = try RandomAccessFile(path: file.path)
  }

  init(reading path: String) throws(StorageError) {
    writer = nil
    reader = try RandomAccessFile(path: path)
  }

  var length: UInt64 { reader.length }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try reader.bytes(at: offset, count: count)
  }

  func readImmediately(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    switch unsafe try reader.readImmediately(at: offset, into: buffer) {
    case .bytes(let count): count
    case .wouldBlock: 0
    }
  }

  func write(_ bytes: [UInt8], _ part: Range<Int>, at offset: UInt64) throws(StorageError) {
    guard let writer else { throw StorageError("write", reader.path, .system(.readOnlyFileSystem)) }
    var failure: StorageError?
    // Safe because the slice is checked against the array's bounds, and used only within the call.
    unsafe bytes[part].withUnsafeBytes { buffer in
      do throws(StorageError) { unsafe try writer.write(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func sync() throws(StorageError) { try writer?.sync() }

  func append(_ range: Range<UInt64>, to file: TemporaryFile) throws(StorageError) {
    try file.append(range, of: reader)
  }
}

/// The lock of a cache's folder. It also detects whether the locked file is still the one in the folder.
private struct SystemCacheLock: CacheLock {
  let lock: FileLock
  let path: String
  let identity: FileVersion.Identity

  var isIntact: Bool { (try? FileStatus.of(path))?.version.identity == identity }
}
