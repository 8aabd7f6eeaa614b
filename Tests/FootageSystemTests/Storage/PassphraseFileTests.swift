import Foundation
import FootageSystem
import TestSupport
import Testing

@Suite(.offThePool) struct PassphraseFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: folder.path("file")))
    return String(decoding: try PassphraseFile.read(from: folder.path("file")), as: UTF8.self)
  }

  @Test(arguments: [
    ("", ""), ("open", "open"), ("open\n", "open"), ("open\r\n", "open"), ("open\nsesame\n", "open"), ("\nopen", ""),
    (" o p e n \t\n", " o p e n \t"), ("\u{F6}ffne dich", "\u{F6}ffne dich"), ("a\rb\n", "a\rb"),
  ])
  func `the first line counts, without its end`(text: String, passphrase: String) throws {
    #expect(try read(text) == passphrase)
  }

  @Test func `a line that is longer than any passphrase is refused`() throws {
    #expect(try read(String(repeating: "x", count: 4_096) + "\n").count == 4_096)
    let error = #expect(throws: StorageError.self) { try read(String(repeating: "x", count: 4_097)) }
    #expect(error?.reason == .wrongKind("a file whose first line has more than 4096 bytes"))
  }

  @Test func `a file that is not there is told`() {
    let error = #expect(throws: StorageError.self) { try PassphraseFile.read(from: folder.path("none")) }
    #expect(error?.reason == .system(.notFound))
  }

  @Test func `of a pipe no more is taken than the line, and its end is waited for`() throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = Thread { _ = try? PassphraseFile.read(from: pipe) }
    reader.start()
    let writer = try #require(FileHandle(forWritingAtPath: pipe))
    // A second reader keeps the pipe open, so that the rest stays for the next reader.
    let rest = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(rest) }
    try writer.write(contentsOf: Data("ope".utf8))
    try writer.write(contentsOf: Data("n\nrest".utf8))
    try eventually("the line to be taken") { reader.isFinished }
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = Foundation.read(rest, &buffer, 16)
    #expect(count == 4 && String(decoding: buffer.prefix(4), as: UTF8.self) == "rest")
  }
}
