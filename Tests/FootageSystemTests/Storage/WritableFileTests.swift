/// Files that can be written at any offset.

import FootageBase
import Foundation
import FootageSystem
import TestSupport
import Testing

@Suite struct WritableFileTests {
  private func write(_ text: String, at offset: UInt64, to file: WritableFile) throws {
    var failure: StorageError?
    Array(text.utf8).withUnsafeBytes { bytes in
      do throws(StorageError) { try file.write(bytes, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  @Test func `what lies between two writes is a hole of zeros`() throws {
    let folder = try TemporaryFolder()
    let file = try WritableFile(path: folder.path("f"), .new)
    try write("end", at: 5, to: file)
    try write("be", at: 0, to: file)
    try file.sync()
    let read = try RandomAccessFile(path: folder.path("f")).bytes(at: 0, count: 8)
    #expect(read == Array("be\0\0\0end".utf8))
  }

  @Test func `a new file takes no other's place, and an existing one must be there`() throws {
    let folder = try TemporaryFolder()
    #expect(throws: StorageError("open", folder.path("f"), .system(.notFound))) {
      try WritableFile(path: folder.path("f"), .existing)
    }
    try write("1", at: 0, to: WritableFile(path: folder.path("f"), .new))
    #expect(throws: StorageError("create", folder.path("f"), .system(.alreadyExists))) {
      try WritableFile(path: folder.path("f"), .new)
    }
    try write("2", at: 1, to: WritableFile(path: folder.path("f"), .existing))
    #expect(FileManager.default.contents(atPath: folder.path("f")) == Data("12".utf8))
  }

  @Test func `an offset beyond what a file can have is refused`() throws {
    let folder = try TemporaryFolder()
    let file = try WritableFile(path: folder.path("f"), .new)
    #expect(throws: StorageError("write", folder.path("f"), .system(.fileTooLarge))) {
      try write("x", at: .max, to: file)
    }
  }
}
