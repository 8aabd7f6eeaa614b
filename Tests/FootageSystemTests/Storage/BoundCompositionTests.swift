import FootageBase
import Foundation
import FootageSystem
import TestSupport
import Testing

@Suite struct BoundCompositionTests {
  /// Makes a composition of bytes in memory, two ranges of one file, and one range of another.
  private static func make(in folder: TemporaryFolder) throws -> (composed: BoundComposition, bytes: [UInt8]) {
    let files = try ["a", "b"].enumerated().map { number, name in
      let path = folder.path(name)
      try Data((0..<100).map { UInt8($0 + 100 * number) }).write(to: URL(filePath: path))
      return try RandomAccessFile(path: path)
    }
    var composition = Composition([1, 2, 3], then: [10..<20, 50..<60])
    composition.append(0..<7, of: 1)
    composition.append([4])
    let bytes = [1, 2, 3] + Array(10..<20) + Array(50..<60) + Array(100..<107) + [4]
    return (BoundComposition(composition, of: files), bytes.map { UInt8($0) })
  }

  private static func all(of composed: BoundComposition) throws -> [UInt8] {
    try composed.bytes(at: 0, count: Int(composed.length))
  }

  @Test func `every range reads as the bytes that it is made of`() throws {
    let folder = try TemporaryFolder()
    let (composed, bytes) = try Self.make(in: folder)
    #expect(composed.length == UInt64(bytes.count))
    for start in 0...bytes.count {
      for end in start...bytes.count {
        #expect(try composed.bytes(at: UInt64(start), count: end - start) == Array(bytes[start..<end]))
        #expect(try Self.all(of: composed.slice(in: UInt64(start)..<UInt64(end))) == Array(bytes[start..<end]))
      }
    }
    #expect(throws: StorageError.self) { try composed.bytes(at: 1, count: bytes.count) }
    #expect(throws: StorageError.self) { try composed.bytes(at: .max, count: 1) }
  }

  @Test func `two become one, each with its own files`() throws {
    let folder = try TemporaryFolder()
    let (composed, bytes) = try Self.make(in: folder)
    var both = composed.slice(in: 5..<31)
    both.append(composed)
    both.append(BoundComposition([9]))
    #expect(try Self.all(of: both) == Array(bytes[5..<31]) + bytes + [9])
  }

  @Test func `a range of a file that nobody has bound cannot be read`() throws {
    let composed = BoundComposition(Composition([1], then: [0..<4], of: 3), of: [])
    #expect(try composed.bytes(at: 0, count: 1) == [1])
    #expect(throws: StorageError.self) { try composed.bytes(at: 0, count: 2) }
  }

  @Test func `a file of which a range has nothing is let go`() throws {
    let folder = try TemporaryFolder()
    weak var file: RandomAccessFile?
    var part: BoundComposition
    do {
      let path = folder.path("c")
      try Data(repeating: 7, count: 10).write(to: URL(filePath: path))
      let opened = try RandomAccessFile(path: path)
      file = opened
      part = BoundComposition(Composition([1, 2], then: [0..<10]), of: [opened])
    }
    #expect(file != nil)
    part = part.slice(in: 0..<2)
    #expect(file == nil)
    #expect(try Self.all(of: part) == [1, 2])
  }

  @Test func `a temporary file takes all of it`() throws {
    let folder = try TemporaryFolder()
    let (composed, bytes) = try Self.make(in: folder)
    let file = try TemporaryFile(in: folder.location)
    try file.append(composed)
    try file.rename(replacing: folder.path("all"))
    #expect(try Data(contentsOf: URL(filePath: folder.path("all"))) == Data(bytes))
  }
}
