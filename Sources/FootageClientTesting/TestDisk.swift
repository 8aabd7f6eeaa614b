public import FootageCore
internal import FootageSystem
internal import Synchronization

/// A folder for a cache, on a disk that is full, broken or read-only when a test sets that.
public final class TestDisk: Sendable {
  /// The fault of the disk.
  public enum Fault: Hashable, Sendable {
    /// There is no room to write.
    case full
    /// Nothing may be written.
    case readOnly
    /// Neither reading nor writing works.
    case broken
  }

  /// The folder of the cache, which is created if it is missing.
  public let folder: String
  private let state = Mutex<Fault?>(nil)

  /// - Parameter folder: a folder that belongs to the test.
  public init(at folder: String) { self.folder = folder }

  /// The present fault of the disk; nil if the disk works.
  public var fault: Fault? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Returns a cache on this disk.
  ///
  /// - Parameters:
  ///   - quota: the size that the cache may have.
  ///   - clock: the clock by which the cache waits before it asks a robot again; nil for the machine's.
  /// - Throws: the errors of `MediaCache.init`.
  public func cache(quota: StorageQuota = .gigabytes(1), clock: TestClock? = nil) throws(MediaCacheError) -> MediaCache
  {
    try MediaCache(
      at: folder, quota: quota.bytes, files: TestFiles(disk: self, files: SystemCacheFiles()),
      clock: clock?.clock ?? .system)
  }

  fileprivate func expectReading(_ path: String) throws(StorageError) {
    if fault == .broken { throw StorageError("read", path, .system(.ioError)) }
  }

  fileprivate func expectWriting(_ path: String) throws(StorageError) {
    switch fault {
    case .full: throw StorageError("write", path, .system(.noSpaceLeft))
    case .readOnly: throw StorageError("write", path, .system(.readOnlyFileSystem))
    case .broken: throw StorageError("write", path, .system(.ioError))
    case nil: break
    }
  }
}

/// The calls of a cache to its files, which fail if the disk has a fault.
private struct TestFiles: CacheFiles {
  let disk: TestDisk
  let files: SystemCacheFiles

  func createFolder(_ path: String) throws(StorageError) {
    try disk.expectWriting(path)
    try files.createFolder(path)
  }

  func names(in folder: String) throws(StorageError) -> [String] {
    try disk.expectReading(folder)
    return try files.names(in: folder)
  }

  func create(_ path: String) throws(StorageError) -> any CacheFile {
    try disk.expectWriting(path)
    return TestFile(disk: disk, path: path, file: try files.create(path))
  }

  func open(_ path: String) throws(StorageError) -> any CacheFile {
    try disk.expectReading(path)
    return TestFile(disk: disk, path: path, file: try files.open(path))
  }

  func openToRead(_ path: String) throws(StorageError) -> any CacheFile {
    try disk.expectReading(path)
    return TestFile(disk: disk, path: path, file: try files.openToRead(path))
  }

  func rename(_ path: String, to target: String) throws(StorageError) {
    try disk.expectWriting(target)
    try files.rename(path, to: target)
  }

  func remove(_ path: String) throws(StorageError) {
    // A full disk still permits removals.
    if disk.fault != .full { try disk.expectWriting(path) }
    try files.remove(path)
  }

  func sync(folder: String) throws(StorageError) {
    try disk.expectWriting(folder)
    try files.sync(folder: folder)
  }

  func lock(_ path: String) throws(StorageError) -> any CacheLock {
    if disk.fault != .full { try disk.expectWriting(path) }
    return try files.lock(path)
  }

  func openIndex(_ path: String) throws(SQLiteError) -> (any RangeIndex)? { try files.openIndex(path) }

  func readIndex(_ path: String) throws(SQLiteError) -> [Int64: CacheRecord]? { try files.readIndex(path) }

  func isIndex(_ path: String) -> Bool { files.isIndex(path) }
}

/// A file of a cache, whose calls fail if the disk has a fault.
private struct TestFile: CacheFile {
  let disk: TestDisk
  let path: String
  let file: any CacheFile

  var length: UInt64 { file.length }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try disk.expectReading(path)
    return try file.read(at: offset, count: count)
  }

  func readImmediately(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int {
    try disk.expectReading(path)
    return unsafe try file.readImmediately(at: offset, into: buffer)
  }

  func write(_ bytes: [UInt8], _ part: Range<Int>, at offset: UInt64) throws(StorageError) {
    try disk.expectWriting(path)
    try file.write(bytes, part, at: offset)
  }

  func sync() throws(StorageError) {
    try disk.expectWriting(path)
    try file.sync()
  }
}
