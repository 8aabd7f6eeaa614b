import Foundation
import FootageSystem
import TestSupport
import Testing

@Suite struct FileLockTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a lock is one holder's until it is let go`() throws {
    let path = folder.path("lock")
    var held: FileLock? = try FileLock(path: path)
    let error = #expect(throws: StorageError.self) { try FileLock(path: path) }
    #expect(error?.reason == .system(.wouldBlock))
    #expect(throws: StorageError.self) { try FileLock.taken(path, within: .zero) }
    #expect(held != nil)
    held = nil
    #expect(throws: Never.self) { try FileLock(path: path) }
    // The file stays, with access only for its owner.
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  #if !canImport(Darwin)
  @Test func `a child that is being started has the file open, and does not keep it locked`() throws {
    let path = folder.path("lock")
    var held: FileLock? = try FileLock(path: path)
    let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    let number = try #require(
      numbers.first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path })
    let other = dup(number)
    defer { close(other) }
    #expect(other >= 0 && held != nil)
    held = nil
    #expect(throws: Never.self) { try FileLock(path: path) }
  }
  #endif

  @Test func `it is another process's, too`() throws {
    let path = folder.path("lock")
    let held = try FileLock(path: path)
    #expect(try Command("flock", "--nonblock", path, "true").run().status == 1)
    withExtendedLifetime(held) {}
  }

  @Test func `one that is let go in time is taken`() throws {
    let path = folder.path("lock")
    let holder = try RunningProgram(Command("flock", "--no-fork", path, "sh", "-c", "echo held; exec sleep 600"))
    _ = try holder.waitForOutput("the lock") { $0.contains("held") ? () : nil }
    #expect(throws: StorageError.self) { try FileLock(path: path) }
    holder.kill()
    #expect(throws: Never.self) { try FileLock.taken(path, within: .seconds(60)) }
  }

  @Test func `a link is not followed, and a folder is none`() throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("lock"))
    #expect(throws: StorageError.self) { try FileLock(path: folder.path("link")) }
    #expect(throws: StorageError.self) { try FileLock(path: folder.location) }
    #expect(!FileManager.default.fileExists(atPath: folder.path("lock")))
  }
}
