/// `footage cache`, as a person runs it.

import FootageClient
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite struct CacheCommandTests {
  let content = testBytes(1000)

  private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> (
    status: Int32, output: String, words: String
  ) {
    let outcome = try FootageProgram.command(["cache"] + arguments, environment: environment).run()
    return (outcome.status, outcome.output, outcome.errors)
  }

  private func fill(_ folder: String, robot: String = "r", item: String? = nil, _ names: String...) async throws {
    let cache = try MediaCache(at: folder, quota: 1 << 20, limits: .small)
    for name in names {
      let playback = try await cache.playback(
        of: RecordingKey(robot: robot, name: name), testVersion(content), item: item, from: TestSource(content))
      try await playback.download()
    }
    await cache.close()
  }

  private func cached(_ folder: String) throws -> [JSONValue] {
    try #require(try JSONValue(parsing: try run("list", "--json", "--cache", folder).output)["cached"]?.array)
  }

  private func bytes(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

  @Test func `list, keep, remove and clean do what they say`() async throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("footage")
    let environment = ["XDG_CACHE_HOME": folder.location]
    #expect(try run("list", environment: environment).output == "the cache is empty\n")
    try await fill(cache, "front/a", "b\u{1B}[2J", "c")
    let list = try run("list", environment: environment)
    #expect(list.status == 0)
    #expect(list.output.hasPrefix("NAME     STARTED ("))
    #expect(list.output.contains(#/\nfront/a  –  +–  1\.0 kB  complete  .*/media/a-.*\.mp4\n/#))
    #expect(list.output.contains("\nb\u{FFFD}[2J  "))
    #expect(try run("keep", "front/a", environment: environment).status == 0)
    #expect(try run("list", environment: environment).output.contains(" 1.0 kB  complete, kept  "))
    #expect(try run("remove", "c", "--cache", cache).status == 0)
    let missing = try run("remove", "c", "--cache", cache)
    #expect(
      missing.status == 1
        && missing.words.hasPrefix("footage: there is no recording c in the cache: footage cache list "))
    #expect(try run("clean", "--cache", cache).output == "freed 1.0 kB\n")
    #expect(try cached(cache).map { $0["name"]?.string } == ["front/a"])
    #expect(try cached(cache).first?["kept"]?.bool == true)
    #expect(try run("keep", "--undo", "front/a", "--cache", cache).status == 0)
    #expect(try run("clean", "--cache", cache).output == "freed 1.0 kB\n")
  }

  @Test func `a recording is listed as its robot listed it, with what the cache knows`() async throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("cache")
    let item = """
      {"name":"other","camera":"front","url":"/recordings/front/a.mp4","state":"ready","size":7,"etag":"\\"o\\"",
      "startedAt":"2026-11-20T10:15:30.250Z","startedFrom":"name","duration":60.033,"kept":true,"path":"/etc/passwd",
      "video":{"codec":"avc1.64001F","width":1280,"height":720},"later":{"than":["this",1.50]}}
      """
    try await fill(cache, item: item, "front/a")
    try await fill(cache, "front/b")
    let all = try cached(cache)
    let listed = try #require(all.first)
    // Each of the cache's own members occurs once, whatever the robot's document contains.
    let json = try run("list", "--json", "--cache", cache).output
    for member in ["name", "size", "etag", "path", "kept"] {
      #expect(json.components(separatedBy: "\"\(member)\":").count == 3, "\(member)")
    }
    #expect(listed["name"] == "front/a" && listed["robot"] == "r")
    #expect(listed["size"] == 1000 && listed["cachedBytes"] == 1000)
    #expect(listed["etag"]?.string == testVersion(content).tag && listed["complete"] == true)
    #expect(listed["path"]?.string?.hasPrefix(cache + "/media/a-") == true)
    #expect(listed["kept"] == false && listed["keptOnRobot"] == true)
    #expect(listed["startedAt"] == "2026-11-20T10:15:30.250Z" && listed["duration"]?.double == 60.033)
    #expect(listed["video"]?["width"] == 1280)
    #expect(listed["later"]?["than"]?.array?.first == "this")
    #expect(all.last?["startedAt"] == nil && all.last?["keptOnRobot"] == nil)
    let table = try run("list", "--cache", cache, environment: ["TZ": "EST5"]).output
    #expect(table.contains("NAME     STARTED (EST5)       LENGTH    SIZE  CACHED    FILE\n"), "\(table)")
    #expect(table.contains("\nfront/a  2026-11-20 05:15:30    1:00  1.0 kB  complete  \(cache)/media/a-"), "\(table)")
  }

  @Test func `what is complete is exported, into a file or below a folder`() async throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("cache")
    try await fill(cache, "front/a", "b", "../c")
    try Data("old".utf8).write(to: URL(filePath: folder.path("one.mp4")))
    let one = try run("export", "front/a", "-o", folder.path("one.mp4"), "--cache", cache)
    #expect(one.status == 0 && one.output == folder.path("one.mp4") + "\n", "\(one.words)")
    #expect(bytes(folder.path("one.mp4")) == content)
    let several = try run("export", "front/a", "b", "-o", folder.path("out/"), "--cache", cache)
    #expect(several.output == folder.path("out/front/a.mp4") + "\n" + folder.path("out/b.mp4") + "\n")
    #expect(bytes(folder.path("out/front/a.mp4")) == content && bytes(folder.path("out/b.mp4")) == content)
    let outside = try run("export", "../c", "-o", folder.path("out/"), "--cache", cache)
    #expect(outside.status == 1 && outside.words.contains("'../c' is not a valid file name: choose one with -o FILE"))
    #expect(try run("export", "../c", "-o", folder.path("c.mp4"), "--cache", cache).status == 0)
    let missing = try run("export", "x", "b", "-o", folder.path("more/"), "--cache", cache)
    #expect(missing.status == 1 && missing.words.contains("there is no recording x in the cache"))
    #expect(missing.output == folder.path("more/b.mp4") + "\n")
    // Another owner has the cache open.
    let owner = try MediaCache(at: cache, quota: 1 << 20)
    #expect(try run("export", "b", "-o", folder.path("b.mp4"), "--cache", cache).status == 0)
    #expect(try run("list", "--cache", cache).output.split(separator: "\n").count == 4)
    let removing = try run("remove", "b", "--cache", cache)
    #expect(
      removing.status == 1 && removing.words.contains("is in use by another process: end that process"), "\(removing)")
    await owner.close()
  }

  @Test func `what is there in part is not exported, and it is said how much there is`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
    do {
      let playback = try await cache.playback(
        of: RecordingKey(robot: "r", name: "a"), testVersion(content), from: TestSource(content))
      try await playback.preload(bytes: 640)
    }
    await cache.close()
    let outcome = try run("export", "a", "-o", folder.path("a.mp4"), "--cache", folder.path("cache"))
    #expect(outcome.status == 1)
    #expect(
      outcome.words.contains(
        #/a is only partly cached: [0-9]+ B of 1\.0 kB \([0-9]+ of 1000 bytes\)\. .*footage fetch/#),
      "\(outcome.words)")
    #expect(bytes(folder.path("a.mp4")) == nil)
  }

  @Test func `of several robots the one has to be named, and names are compared by their bytes`() async throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("cache")
    let pins = ["A", "B"].map { "sha256/" + String(repeating: $0, count: 42) + "A=" }
    try await fill(cache, robot: pins[0], "caf\u{E9}", "x")
    try await fill(cache, robot: pins[1], "x", "cafe\u{301}")
    let environment = ["XDG_CONFIG_HOME": folder.location]
    try FileManager.default.createDirectory(atPath: folder.path("footage"), withIntermediateDirectories: true)
    try Data("one.test:8443 \(pins[0])\ntwo.test:8443 \(pins[1])\n".utf8).write(
      to: URL(filePath: folder.path("footage/robots")))
    let both = try run("export", "x", "-o", folder.path("x.mp4"), "--cache", cache, environment: environment)
    #expect(
      both.status == 1 && both.words.contains("2 robots have a cached recording x: choose one (--robot"),
      "\(both.words)")
    let one = try run(
      "remove", "x", "--robot", "two.test", "--cache", cache, environment: environment)
    #expect(one.status == 0, "\(one.words)")
    let list = try run("list", "--cache", cache, environment: environment).output
    #expect(list.contains("\nx  ") && list.contains("one.test:8443") && list.contains("two.test:8443"), "\(list)")
    #expect(try run("remove", "caf\u{E9}", "--cache", cache, environment: environment).status == 0)
    #expect(try run("remove", "caf\u{E9}", "--cache", cache, environment: environment).status == 1)
    let names = try cached(cache).compactMap { $0["name"]?.string.map { Array($0.utf8) } }
    #expect(names == [Array("cafe\u{301}".utf8), Array("x".utf8)])
  }

  @Test func `a robot that is named is that robot, or nobody's recording is taken`() async throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("cache")
    let pins = ["A", "B", "C"].map { "sha256/" + String(repeating: $0, count: 42) + "A=" }
    let environment = ["XDG_CONFIG_HOME": folder.location]
    try await fill(cache, robot: pins[0], "x", "kept")
    try await fill(cache, robot: pins[1], "x")
    try FileManager.default.createDirectory(atPath: folder.path("footage"), withIntermediateDirectories: true)
    let before = try cached(cache).count
    // Only robot A is paired, both are, and none is.
    for robots in ["one.test:8443 \(pins[0])\n", "one.test:8443 \(pins[0])\ntwo.test:8443 \(pins[1])\n", ""] {
      try Data(robots.utf8).write(to: URL(filePath: folder.path("footage/robots")))
      for other in ["one.test:8444", "three.test", pins[2], "nobody"] {
        for command in [["export", "x", "-o", folder.path("x.mp4")], ["remove", "kept"], ["keep", "x"]] {
          let outcome = try FootageProgram.command(
            ["cache"] + command + ["--robot", other, "--cache", cache], environment: environment
          ).run()
          #expect(outcome.status == 1, "\(robots) \(other) \(command): \(outcome)")
          #expect(outcome.errors.contains("--robot "), "the robots that have it are named: \(outcome.errors)")
        }
      }
      #expect(bytes(folder.path("x.mp4")) == nil)
      #expect(try cached(cache).count == before && cached(cache).allSatisfy { $0["kept"] == false })
      // Every name that the list shows for a robot can be used to name it.
      let shown = try run("list", "--cache", cache, environment: environment).output
      let names = robots.contains("two.test") ? ["one.test:8443", "two.test:8443"] : [pins[1]]
      for name in names {
        #expect(shown.contains(name))
        let one = try run(
          "export", "x", "--robot", name, "-o", folder.path("one.mp4"), "--cache", cache, environment: environment)
        #expect(one.status == 0, "\(name): \(one.words)")
      }
    }
    #expect(try run("remove", "x", "--robot", pins[1], "--cache", cache, environment: environment).status == 0)
    #expect(try cached(cache).map { $0["robot"]?.string } == [pins[0], pins[0]])
  }

  @Test func `a URL means the robot whose host it has`() async throws {
    let folder = try TemporaryFolder()
    let (cache, environment) = (folder.path("cache"), ["XDG_CONFIG_HOME": folder.location])
    let pins = ["A", "B"].map { "sha256/" + String(repeating: $0, count: 42) + "A=" }
    try await fill(cache, robot: pins[0], "front/a")
    try FileManager.default.createDirectory(atPath: folder.path("footage"), withIntermediateDirectories: true)
    let url = { (host: String) in "https://\(host)/recordings/front/a.mp4" }
    func cacheCommand(_ arguments: String...) throws -> Command.Outcome {
      try FootageProgram.command(["cache"] + arguments + ["--cache", cache], environment: environment).run()
    }
    // No robot is paired, one is, both are.
    for robots in ["", "one.test:8443 \(pins[0])\n", "one.test:8443 \(pins[0])\ntwo.test:8443 \(pins[1])\n"] {
      try Data(robots.utf8).write(to: URL(filePath: folder.path("footage/robots")))
      for host in ["two.test:8443", "one.test:8444", "one.test", "three.test:8443"] {
        for verb in ["remove", "keep", "export"] {
          let outcome = try cacheCommand(verb, url(host), "-o", folder.path("a.mp4"))
          #expect(outcome.status == 1, "\(robots) \(host) \(verb): \(outcome)")
        }
      }
      #expect(try cached(cache).count == 1 && bytes(folder.path("a.mp4")) == nil)
    }
    // Another name for the robot must agree with the URL.
    for other in ["two.test:8443", pins[1]] {
      let outcome = try cacheCommand("remove", url("one.test:8443"), "--robot", other)
      #expect(outcome.status == 1 && outcome.errors.contains("names two robots"), "\(other): \(outcome)")
    }
    for (option, value) in [("--robot", "one.test:8443"), ("--robot", pins[0])] {
      #expect(try cacheCommand("keep", url("one.test:8443"), option, value).status == 0)
    }
    let play = try FootageProgram.command(
      ["play", "--offline", "front/a", "--cache", cache, "--robot", "two.test:8443", "--pin", pins[0]],
      environment: environment
    ).run()
    #expect(play.status == 1 && play.errors.contains("names two robots"), "\(play)")
    #expect(try cacheCommand("remove", url("ONE.test:8443")).status == 0)
    #expect(try cached(cache).isEmpty)
  }

  @Test(arguments: ["front/a", "/front/a", "front/a.mp4", "/recordings/front/a.mp4?x#t=3"])
  func `a name may be pasted as the page, a file or a browser shows it`(_ name: String) async throws {
    let folder = try TemporaryFolder()
    try await fill(folder.path("cache"), "front/a")
    let outcome = try run("export", name, "-o", folder.path("a.mp4"), "--cache", folder.path("cache"))
    #expect(outcome.status == 0 && bytes(folder.path("a.mp4")) == content, "\(outcome.words)")
  }

  @Test func `verify says what is damaged, and changes nothing`() async throws {
    let folder = try TemporaryFolder()
    try await fill(folder.path("cache"), "a", "b")
    #expect(try run("verify", "--cache", folder.path("cache")).output == "a: good\nb: good\n")
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/media")).first {
        $0.hasPrefix("a-") && $0.hasSuffix(".mp4")
      })
    try Data(content.map { $0 ^ 1 }).write(to: URL(filePath: folder.path("cache/media/\(file)")))
    for _ in 0..<2 {
      let damaged = try run("verify", "--cache", folder.path("cache"))
      #expect(damaged.status == 1)
      #expect(damaged.output == "a: 1000 bytes are damaged, and will be fetched again on playback\nb: good\n")
    }
    // The owner of the cache sets the damaged range aside.
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
    #expect(try await cache.verify().contains { $0.damagedBytes == [0..<1000] })
    await cache.close()
    #expect(try run("verify", "--cache", folder.path("cache")).output == "b: good\n")
  }

  /// Returns the files below a folder, with their contents and the times of their last writes.
  private func files(_ folder: String) throws -> [String: [String]] {
    var files: [String: [String]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      files[name] = [
        bytes("\(folder)/\(name)").map { "\($0.count) \($0.hashValue)" } ?? "-",
        "\(attributes[.modificationDate] ?? "")",
      ]
    }
    return files
  }

  @Test func `a folder of the user's stays as it is, whichever command is given it`() async throws {
    let folder = try TemporaryFolder()
    let mine = folder.path("mine")
    try FileManager.default.createDirectory(atPath: mine + "/media/sub", withIntermediateDirectories: true)
    for name in ["media/holiday.mp4", "media/notes.txt", "media/trip-0f8a7b6c5d4e3.mp4", "lock"] {
      try Data("precious".utf8).write(to: URL(filePath: "\(mine)/\(name)"))
    }
    let before = try files(mine)
    let commands = [
      ["list"], ["verify"], ["clean"], ["export", "a", "-o", folder.path("a.mp4")], ["keep", "a"], ["remove", "a"],
    ]
    for command in commands {
      let outcome = try FootageProgram.command(["cache"] + command + ["--cache", mine]).run()
      #expect(outcome.status == 1, "\(command): \(outcome)")
      #expect(
        outcome.errors.contains("\(mine) is not a Footage cache: it contains media/"), "\(command): \(outcome.errors)")
      #expect(try files(mine) == before, "\(command)")
    }
  }

  @Test func `a command that looks into a cache changes nothing in it, and makes none`() async throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("cache")
    try await fill(cache, "a")
    // The user's own file among the media, and a remnant of a killed process.
    for name in ["holiday.mp4", "left-2abcdefghijk9.part"] {
      try Data("precious".utf8).write(to: URL(filePath: "\(cache)/media/\(name)"))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(cache)/media/\(name)")
    }
    let before = try files(cache)
    for command in [["list"], ["list", "--json"], ["verify"], ["export", "a", "-o", folder.path("a.mp4")]] {
      #expect(try FootageProgram.command(["cache"] + command + ["--cache", cache]).run().status == 0, "\(command)")
      #expect(try files(cache) == before, "\(command)")
    }
    // Commands that may change files leave those without the cache's own form alone, too.
    #expect(try run("keep", "a", "--cache", cache).status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: cache + "/media")
    #expect(names.contains("holiday.mp4") && !names.contains("left-2abcdefghijk9.part"))
    for command in [["list"], ["verify"], ["clean"], ["export", "a"], ["keep", "a"], ["remove", "a"]] {
      let outcome = try FootageProgram.command(["cache"] + command + ["--cache", folder.path("typo")]).run()
      #expect(outcome.status == 1 && outcome.errors.contains("there is no cache in \(folder.path("typo"))"))
    }
    let environment = ["XDG_CACHE_HOME": folder.path("none")]
    #expect(try run("clean", environment: environment).output == "freed 0 B\n")
    #expect(try run("remove", "a", environment: environment).status == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path("typo")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }

  @Test func `a cache that is in use, or cannot be, is said to be so`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20)
    let inUse = try run("clean", "--cache", folder.path("cache"))
    #expect(inUse.status == 1 && inUse.words.contains("is in use by another process"))
    await cache.close()
    try Data().write(to: URL(filePath: folder.path("file")))
    let unusable = try run("list", "--cache", folder.path("file/cache"))
    #expect(unusable.status == 1 && unusable.words.contains("there is no cache in "))
  }

  @Test(arguments: [[], ["bogus"], ["list", "x"], ["keep"], ["remove"], ["export"], ["clean", "x"]])
  func `a command line that makes no sense is refused with 64`(_ arguments: [String]) throws {
    #expect(try FootageProgram.command(["cache"] + arguments).run().status == 64)
  }

  @Test func `without HOME, the folder has to be said`() throws {
    let outcome = try Command("env", "-u", "HOME", FootageProgram.path, "cache", "list").run()
    #expect(outcome.status == 64 && outcome.errors.contains("--cache DIR"))
  }
}
