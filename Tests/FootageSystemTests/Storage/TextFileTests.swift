import Foundation
import FootageBase
import FootageSystem
import TestSupport
import Testing

/// Small files that people have saved with any editor.
@Suite struct TextFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func put(_ bytes: [UInt8]) throws -> String {
    let path = folder.path("file")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  @Test(arguments: ["secret", "secret\n", "secret\r\n", "secret\r\nmore"])
  func `a mark of the byte order is no part of a passphrase`(_ text: String) throws {
    for bytes in [Array(text.utf8), Self.mark + Array(text.utf8)] {
      #expect(try PassphraseFile.read(from: try put(bytes)) == Array("secret".utf8))
      let marked = try PassphraseFile.readings(from: try put(bytes)).withMark
      #expect(marked == (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] + Array("secret".utf8) : nil))
    }
  }

  @Test func `a mark alone is an empty text, and one in the middle is a letter`() throws {
    #expect(try TextFile.read(try put(Self.mark), longest: 100) == "")
    #expect(try TextFile.read(try put([]), longest: 100) == "")
    let inner = Array("a".utf8) + Self.mark + Array("b".utf8)
    #expect(try TextFile.bytes(of: try put(inner), longest: 100) == inner)
  }

  @Test(
    arguments: [
      [0xFF, 0xFE, 0x73, 0x00], [0xFE, 0xFF, 0x00, 0x73], [0x73, 0x00, 0x65, 0x00], [0x00, 0x73, 0x00, 0x65],
      [0xFF, 0xFE, 0x00, 0x00, 0x73, 0x00, 0x00, 0x00],
    ] as [[UInt8]])
  func `what is in UTF-16 is told, and not taken for another text`(_ bytes: [UInt8]) throws {
    let path = try put(bytes)
    let readings: [() throws -> Void] = [
      { _ = try TextFile.read(path, longest: 100) }, { _ = try PassphraseFile.read(from: path) },
    ]
    for read in readings {
      let error = #expect(throws: StorageError.self) { try read() }
      #expect(error?.description == "cannot read \(path): it is in UTF-16: save it as UTF-8")
    }
  }

  @Test func `what is too long, or no UTF-8, is told`() throws {
    let long = #expect(throws: StorageError.self) { try TextFile.read(try put([1, 2, 3, 4]), longest: 3) }
    #expect(long?.description.contains("longer than 3 bytes") == true)
    let wrong = #expect(throws: StorageError.self) { try TextFile.read(try put([0x61, 0xE9]), longest: 3) }
    #expect(wrong?.description.contains("not text in UTF-8") == true)
  }
}
