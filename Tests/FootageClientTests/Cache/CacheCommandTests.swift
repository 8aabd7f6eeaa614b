/// `footage cache`, as a person runs it.

import FootageClient
import Foundation
import TestSupport
import Testing

@Suite struct CacheCommandTests {
  let content = testBytes(1000)

  private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> (
    status: Int32, output: String, words: String
  ) {
    let process = Process()
    // The command lies beside the tests.
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
      path: "footage")
    process.arguments = ["cache"] + arguments
    process.environment = environment
    let (output, words) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = words
    try process.runWithSignals()
    let (said, told) = (
      output.fileHandleForReading.readDataToEndOfFile(), words.fileHandleForReading.readDataToEndOfFile()
    )
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self), String(decoding: told, as: UTF8.self))
  }

  private func fill(_ folder: String, _ names: String...) async throws {
    let cache = try MediaCache(at: folder, quota: 1 << 20, limits: .small)
    for name in names {
      let playback = try await cache.playback(
        of: RecordingKey(robot: "r", name: name), testVersion(content), from: TestSource(content))
      try await playback.download()
    }
    await cache.close()
  }

  @Test func `list, keep, remove and clean do what they say`() async throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("footage")
    let environment = ["XDG_CACHE_HOME": folder.location]
    #expect(try run("list", environment: environment).output == "the cache is empty\n")
    try await fill(cache, "front/a", "b\u{1B}[2J", "c")
    let list = try run("list", environment: environment)
    #expect(list.status == 0)
    #expect(list.output.contains("front/a  1000 of 1000 bytes, complete  \(cache)/media/a-"))
    #expect(list.output.contains("b\u{FFFD}[2J  "))
    #expect(try run("keep", "front/a", environment: environment).status == 0)
    #expect(try run("list", environment: environment).output.contains("front/a  1000 of 1000 bytes, complete, kept"))
    #expect(try run("remove", "c", "--cache", cache).status == 0)
    let missing = try run("remove", "c", "--cache", cache)
    #expect(missing.status == 1 && missing.words == "footage: there is no recording c in the cache\n")
    #expect(try run("clean", "--cache", cache).output == "1000 bytes are free again\n")
    let json = try run("list", "--json", "--cache", cache).output
    let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [[String: Any]]])
    #expect(parsed["cached"]?.map { $0["name"] as? String } == ["front/a"])
    #expect(parsed["cached"]?.first?["kept"] as? Bool == true)
    #expect(try run("keep", "--undo", "front/a", "--cache", cache).status == 0)
    #expect(try run("clean", "--cache", cache).output == "1000 bytes are free again\n")
  }

  @Test func `verify says what is damaged, once`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder.path("cache"), "a", "b")
    #expect(try run("verify", "--cache", folder.path("cache")).output == "a: good\nb: good\n")
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/media")).first {
        $0.hasPrefix("a-") && $0.hasSuffix(".mp4")
      })
    try Data(content.map { $0 ^ 1 }).write(to: URL(filePath: folder.path("cache/media/\(file)")))
    let damaged = try run("verify", "--cache", folder.path("cache"))
    #expect(damaged.status == 1)
    #expect(damaged.output == "a: 1000 bytes were damaged, and are fetched again\nb: good\n")
    let again = try run("verify", "--cache", folder.path("cache"))
    #expect(again.status == 0 && again.output == "b: good\n")
  }

  @Test func `a cache that is in use, or cannot be, is said to be so`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20)
    let inUse = try run("list", "--cache", folder.path("cache"))
    #expect(inUse.status == 1 && inUse.words.contains("is in use by another process"))
    await cache.close()
    try Data().write(to: URL(filePath: folder.path("file")))
    let unusable = try run("list", "--cache", folder.path("file/cache"))
    #expect(unusable.status == 1 && unusable.words.contains("Not a directory"))
  }

  @Test(arguments: [[], ["bogus"], ["list", "x"], ["keep"], ["remove"], ["clean", "x"]])
  func `a command line that makes no sense is refused with 64`(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
      path: "footage")
    process.arguments = ["cache"] + arguments
    process.standardError = FileHandle.nullDevice
    try process.runWithSignals()
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
  }

  @Test func `without HOME, the folder has to be said`() throws {
    let result = try run("list")
    #expect(result.status == 64 && result.words.contains("--cache DIR"))
  }
}
