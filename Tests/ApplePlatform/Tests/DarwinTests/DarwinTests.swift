/// Files, clocks and threads on Darwin.
import Darwin
import FootageBase
import Foundation
import FootageSystem
import Synchronization
import TestSupport
import Testing

/// The tests run one at a time, because the fake disk counts the requests of all of them together.
@Suite(.serialized) struct DarwinTests {
  // MARK: Durability

  @Test func `what is synced goes as far as the disk, a folder's names too`() throws {
    let folder = try TemporaryFolder()
    let file = try WritableFile(path: folder.path("a"), .new)
    FullSync.count = 0
    try file.sync()
    #expect(FullSync.count == 1)
    try FileTree.sync(folder: folder.location)
    #expect(FullSync.count == 2)
    try FileTree.writeDurably([1, 2, 3], to: folder.path("b"))
    #expect(FullSync.count == 4)
  }

  @Test(arguments: [Darwin.ENOTSUP, Darwin.ENOTTY, Darwin.EINVAL])
  func `a file system that cannot do that syncs as far as it can`(number: Int32) throws {
    defer { FullSync.refusal = nil }
    let folder = try TemporaryFolder()
    let file = try WritableFile(path: folder.path("a"), .new)
    FullSync.refusal = number
    FullSync.plainCount = 0
    try file.sync()
    #expect(FullSync.plainCount == 1)
  }

  @Test(arguments: [Darwin.EIO, Darwin.ENOSPC]) func `a disk that fails is an error, and is not asked for less`(
    number: Int32
  ) throws {
    defer { FullSync.refusal = nil }
    let folder = try TemporaryFolder()
    let file = try WritableFile(path: folder.path("a"), .new)
    FullSync.refusal = number
    FullSync.plainCount = 0
    #expect(throws: StorageError("sync", folder.path("a"), .system(Errno(rawValue: number)))) {
      try file.sync()
    }
    #expect(FullSync.plainCount == 0)
  }

  // MARK: Files

  @Test func `a file's version is its size, its time to the nanosecond and what it is`() throws {
    let folder = try TemporaryFolder()
    let file = try TemporaryFile(in: folder.location)
    try file.write([1, 2, 3])
    try file.setModified(nanoseconds: 1_750_000_000_123_456_789)
    try file.rename(to: folder.path("a"))
    let status = try FileStatus.of(folder.path("a"))
    #expect(status.kind == .regular && status.version.size == 3 && status.linkCount == 1)
    #expect(status.version.modifiedNanoseconds == 1_750_000_000_123_456_789)
    #expect(status.changedNanoseconds > 1_750_000_000_000_000_000)
    let opened = try RandomAccessFile(path: folder.path("a"))
    #expect(opened.openingStatus.version == status.version)
    #expect(try opened.bytes(at: 1, count: 2) == [2, 3])
  }

  @Test func `a name that is taken is not replaced`() throws {
    let folder = try TemporaryFolder()
    try FileTree.writeDurably([1], to: folder.path("a"))
    let file = try TemporaryFile(in: folder.location)
    #expect(throws: StorageError.self) { try file.rename(to: folder.path("a")) }
    #expect(try RandomAccessFile(path: folder.path("a")).bytes(at: 0, count: 1) == [1])
    try file.rename(to: folder.path("b"))
    #expect(try FolderListing.entries(of: folder.location).map(\.name) == ["a", "b"])
  }

  @Test func `ranges of another file are copied by reading, and nothing is read without waiting`() throws {
    let folder = try TemporaryFolder()
    try FileTree.writeDurably(Array(0..<100), to: folder.path("a"))
    let source = try RandomAccessFile(path: folder.path("a"))
    let file = try TemporaryFile(in: folder.location)
    try file.append(10..<20, of: source)
    try file.rename(to: folder.path("b"))
    #expect(try RandomAccessFile(path: folder.path("b")).bytes(at: 0, count: 10) == Array(10..<20))
    var buffer = [UInt8](repeating: 0, count: 4)
    #expect(try buffer.withUnsafeMutableBytes { try source.readImmediately(at: 0, into: $0) } == .wouldBlock)
  }

  @Test func `a link is refused, and a lock keeps others out`() throws {
    let folder = try TemporaryFolder()
    try FileTree.writeDurably([1], to: folder.path("a"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("a"))
    #expect(throws: StorageError("open", folder.path("link"), .wrongKind("a symbolic link"))) {
      try RandomAccessFile(path: folder.path("link"))
    }
    let lock = try FileLock(path: folder.path("lock"))
    #expect(throws: StorageError("lock", folder.path("lock"), .system(.wouldBlock))) {
      try FileLock(path: folder.path("lock"))
    }
    withExtendedLifetime(lock) {}
  }

  @Test func `a note stays with the file that it is about`() throws {
    let folder = try TemporaryFolder()
    let file = try WritableFile(path: folder.path("a"), .new)
    let wasKept = ExtendedAttribute.set("hello", "test", of: file)
    // Not every file system supports extended attributes.
    guard wasKept else { return }
    #expect(ExtendedAttribute.text("test", at: folder.path("a")) == "hello")
    #expect(ExtendedAttribute.text("other", at: folder.path("a")) == nil)
    let opened = try RandomAccessFile(path: folder.path("a"))
    #expect(try !opened.hasMark("keep"))
    try opened.setMark("keep")
    #expect(try opened.hasMark("keep"))
    try opened.removeMark("keep")
    try opened.removeMark("keep")
    #expect(try !opened.hasMark("keep"))
  }

  @Test func `errors have words`() {
    #expect(Errno.noSpaceLeft.description == "No space left on device")
    #expect(Errno(rawValue: 9999).description == "error 9999")
  }

  // MARK: Clocks and threads

  @Test func `time goes on, and a machine's sleep counts where it has to`() {
    let clock = Clock.system
    let before = (clock.nanoseconds, clock.uptimeNanoseconds)
    FootageSystem.Thread.sleep(milliseconds: 5)
    #expect(clock.nanoseconds >= before.0 + 5_000_000)
    #expect(clock.uptimeNanoseconds >= before.1 + 5_000_000)
    #expect(abs(clock.unixSeconds - Int64(Date().timeIntervalSince1970)) <= 1)
  }

  @Test func `a thread runs what it is given, and tells itself from others`() throws {
    let identity = Mutex<UInt>(0)
    let thread = try FootageSystem.Thread.start("footage-test") {
      identity.withLock { $0 = FootageSystem.Thread.current }
    }
    thread.join()
    #expect(identity.withLock { $0 } != 0 && identity.withLock { $0 } != FootageSystem.Thread.current)
  }

  @Test func `a semaphore is waited for until its moment, and no longer`() throws {
    let semaphore = FootageSystem.Semaphore()
    #expect(!semaphore.wait(until: Clock.system.deadline(after: .milliseconds(5))))
    try FootageSystem.Thread.start("footage-test") { semaphore.signal() }.detach()
    #expect(semaphore.wait(until: Clock.system.deadline(after: .seconds(60))))
    semaphore.signal()
    #expect(semaphore.wait(until: Clock.system.now))
    semaphore.signal()
    #expect(semaphore.wait(until: .never))
  }

  @Test func `work that blocks is done elsewhere, in order`() async throws {
    let pool = try BlockingPool(threadCount: 2)
    #expect(await pool.run { FootageSystem.Thread.current } != FootageSystem.Thread.current)
    pool.stop()
  }
}
