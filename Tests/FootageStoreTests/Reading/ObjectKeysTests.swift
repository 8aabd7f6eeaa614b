import Testing

@testable import FootageStore

@Suite struct ObjectKeysTests {
  private static let prefix = "robot7/"

  @Test(arguments: ["cam/2026-11-25 14:20", "a", "ü/é", "x.mp4", "a.b/c.d"])
  func `each key tells what it is of`(name: String) {
    let keys = ObjectKeys(prefix: Self.prefix, name: name, tag: "0123456789abcdef")
    for key in keys.all { #expect(ObjectKeys(key: key, prefix: Self.prefix) == keys) }
    #expect(keys.all.first == keys.manifest && keys.all.last == keys.file)
  }

  @Test(
    arguments: [
      "robot70/cam/0123.mp4", "robot7", "robot7/", "robot7/0123.mp4", "robot7/cam/0123", "robot7/cam/.mp4",
      "robot7/cam/0123.jpg", "robot7//0123.mp4", "ROBOT7/cam/0123.mp4", "other/robot7/cam/0123.mp4",
    ])
  func `what is not the robot's own is nothing`(key: String) {
    #expect(ObjectKeys(key: key, prefix: Self.prefix) == nil)
  }

  @Test func `two spellings of a letter are two prefixes`() {
    #expect(ObjectKeys(key: "e\u{301}/a/01.mp4", prefix: "é/") == nil)
  }
}
