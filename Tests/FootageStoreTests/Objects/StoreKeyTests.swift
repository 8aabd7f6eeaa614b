import Foundation
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageStore

@Suite struct StoreKeyTests {
  private static func file(_ text: String, mode: Int = 0o600) throws -> (folder: TemporaryFolder, path: String) {
    let folder = try TemporaryFolder()
    let path = folder.path("key")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return (folder, path)
  }

  @Test(
    arguments: [
      ("robot:uploader\nsecret\n", nil), ("robot:uploader\nsecret", nil), ("robot:uploader\r\n secret \r\n\r\n", nil),
      ("robot:uploader\nsecret\ntoken==\n", "token=="),
    ])
  func `a file has an access key, a secret, and perhaps a token`(text: String, token: String?) throws {
    let (folder, path) = try Self.file(text)
    defer { withExtendedLifetime(folder) {} }
    let (key, warning) = try StoreKey.read(path)
    #expect(key == (try StoreKey(accessKey: "robot:uploader", secret: Secret("secret"), sessionToken: token)))
    #expect(warning == nil)
  }

  @Test(
    arguments: [
      "", "\n", "robot\n", "robot\n\n", "\nsecret\n", "robot\nsecret\ntoken\nmore\n", "ro bot\nsecret\n",
      "robot\nse cret\n", "robot/x\nsecret\n", "robot,x\nsecret\n", "robot\nsecr\u{e9}t\n", "robot\nsecret\n\nmore",
      String(repeating: "a", count: 257) + "\nsecret\n",
    ])
  func `a file that holds no key is refused, without a word of what is in it`(text: String) throws {
    let (folder, path) = try Self.file(text)
    defer { withExtendedLifetime(folder) {} }
    let error = #expect(throws: StoreKeyError.malformedFile(path)) { try StoreKey.read(path) }
    #expect(!"\(error as Any)".replacingOccurrences(of: "its second the secret", with: "").contains("secret"))
  }

  @Test func `what is no small file is not read`() throws {
    let folder = try TemporaryFolder()
    let large = folder.path("large")
    try Data(repeating: 0x61, count: 20_000).write(to: URL(fileURLWithPath: large))
    let fifo = folder.path("fifo")
    mkfifo(fifo, 0o600)
    for path in [folder.path("missing"), folder.location, large, fifo] {
      #expect(throws: StoreKeyError.self, "\(path)") { try StoreKey.read(path) }
    }
  }

  @Test func `a file that others can read is told`() throws {
    let (folder, path) = try Self.file("robot\nsecret\n", mode: 0o644)
    defer { withExtendedLifetime(folder) {} }
    #expect(try StoreKey.read(path).warning == "\(path) can be read by users other than its owner: chmod 600 it")
  }

  @Test func `a key shows nothing of itself`() throws {
    let key = try StoreKey(accessKey: "visible", secret: Secret("hidden"), sessionToken: "token")
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\([key])", "\(Optional(key) as Any)"] {
      for part in ["visible", "hidden", "token"] { #expect(!text.contains(part), "\(text)") }
    }
  }
}
