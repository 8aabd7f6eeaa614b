/// Files that are not valid recordings, and invalid names: each harms only itself, and none is changed.
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite struct HostileFileTests {
  /// The properties of a file that must not change.
  private struct Trace: Equatable {
    var bytes: Data
    var modified: Date?
    var inode: Int?
    var mode: Int?
  }

  private func trace(_ path: String) throws -> Trace {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return Trace(
      bytes: try Data(contentsOf: URL(fileURLWithPath: path)), modified: attributes[.modificationDate] as? Date,
      inode: attributes[.systemFileNumber] as? Int, mode: attributes[.posixPermissions] as? Int)
  }

  /// Gives a file a last write an hour ago, so that it counts as finished.
  private func age(_ path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
  }

  @Test func `bad files are refused with a reason, good ones are served, and all stay as they are`() throws {
    let folder = try TemporaryFolder()
    let recordings = folder.path("recordings")
    try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
    let clip = try Data(contentsOf: URL(fileURLWithPath: try Fixtures.clip()))
    let remuxed = try Command(
      "ffmpeg", "-nostdin", "-v", "error", "-i", try Fixtures.clip(), "-c", "copy", "-movflags", "+faststart",
      folder.path("fast.mp4")
    ).run()
    try #require(remuxed.succeeded, "\(remuxed.errors)")
    let fast = try Data(contentsOf: URL(fileURLWithPath: folder.path("fast.mp4")))
    let files: [(name: String, bytes: Data, reason: String?)] = [
      ("good", clip, nil),
      ("empty", Data(), "the file is empty"),
      ("text", Data("Dear diary, today I drove into a wall.\n".utf8), "this is not an MP4 file"),
      ("unfinished", clip.prefix(clip.count / 2), "the recorder never finished this file, or a copy was cut short"),
      ("truncated", fast.prefix(fast.count / 2), "the recorder never finished this file, or a copy was cut short"),
      ("header", clip.prefix(5), "cut short"),
      (
        "noise", Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }),
        "this is not an MP4 file"
      ),
      ("zeros", Data(repeating: 0, count: 100_000), "this is not an MP4 file"),
    ]
    for file in files {
      let path = "\(recordings)/\(file.name).mp4"
      try file.bytes.write(to: URL(fileURLWithPath: path))
      try age(path)
    }
    let before = try files.map { try trace("\(recordings)/\($0.name).mp4") }
    let server = try Server(folder: folder)
    defer { server.kill() }
    for file in files {
      guard let reason = file.reason else {
        try server.waitForState("ready", of: file.name)
        continue
      }
      let item = try server.waitForState("refused", of: file.name)
      #expect(try #require(item.reason).contains(reason), "\(file.name): \(item.reason ?? "")")
      let answer = try server.curl("--write-out", "%{http_code}", server.url + item.url).run().output
      #expect(answer.hasSuffix("404"))
      #expect(answer.contains("\"code\":\"refused\""), "\(answer)")
      #expect(server.lines(with: "refused: \(file.name).mp4: ").count == 1)
    }
    #expect(try server.list().count == files.count)
    _ = try server.download("/recordings/good.mp4")
    try server.stop()
    #expect(try files.map { try trace("\(recordings)/\($0.name).mp4") } == before)
  }

  @Test func `a file that is not whole shows as recording first and as refused when nobody writes to it`() throws {
    try withServer { server in
      let clip = try Data(contentsOf: URL(fileURLWithPath: try Fixtures.clip()))
      let path = server.file("x.mp4")
      try #require(FileManager.default.createFile(atPath: path, contents: nil))
      let recorder = try #require(FileHandle(forWritingAtPath: path))
      try recorder.write(contentsOf: clip.prefix(10_000))
      try server.waitForState("recording", of: "x")
      try recorder.close()
      #expect(try server.waitForState("refused", of: "x").reason?.contains("the recorder never finished") == true)
      try clip.write(to: URL(fileURLWithPath: path))
      try server.waitForState("ready", of: "x")
    }
  }

  @Test func `what is no regular file is refused or left out, and never followed`() throws {
    try withServer(recordings: ["good.mp4"]) { server in
      let secret = server.folder.path("secret.mp4")
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: secret)
      try FileManager.default.createSymbolicLink(atPath: server.file("link.mp4"), withDestinationPath: secret)
      try FileManager.default.createSymbolicLink(atPath: server.file("dangling.mp4"), withDestinationPath: "/nowhere")
      try FileManager.default.createDirectory(atPath: server.folder.path("outside"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: secret, toPath: server.folder.path("outside/x.mp4"))
      try FileManager.default.createSymbolicLink(
        atPath: server.file("folder"), withDestinationPath: server.folder.path("outside"))
      try FileManager.default.createDirectory(atPath: server.file("folder.mp4"), withIntermediateDirectories: true)
      #expect(mkfifo(server.file("pipe.mp4"), 0o644) == 0)
      for name in ["link", "dangling"] {
        let item = try server.waitForState("refused", of: name)
        #expect(item.reason?.hasPrefix("it is a symbolic link") == true)
        #expect(try server.status(item.url) == 404)
      }
      #expect(try server.waitForState("refused", of: "pipe").reason == "it is not a regular file")
      #expect(try server.status("/recordings/folder/x.mp4") == 404)
      #expect(try server.list().map(\.name).sorted() == ["dangling", "good", "link", "pipe"])
      _ = try server.download("/recordings/good.mp4")
    }
  }

  @Test func `an unreadable file is refused with what to check, and served once it can be read`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
    try Fixtures.copyCertificates(to: folder.path("certs"))
    let path = folder.path("recordings/x.mp4")
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: path)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: folder.path("recordings/good.mp4"))
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    let server = try Server(folder: folder, certs: folder.path("certs")) {
      try FootageProgram.commandWithoutPrivileges(owning: folder, $0.arguments)
    }
    defer { server.kill() }
    let item = try server.waitForState("refused", of: "x")
    #expect(
      item.reason
        == "cannot open x.mp4: Permission denied (check the owner and mode of it and of the folders above it)")
    try server.waitForState("ready", of: "good")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try server.waitForState("ready", of: "x")
    try server.stop()
  }

  @Test(arguments: [
    ("with space", "with%20space"), ("100% sure", "100%25%20sure"), ("%41", "%2541"), ("ümlaut 日本", nil),
    ("new\nline", "new%0Aline"), ("tab\tand \u{1B}[31mred", nil), ("quote\"'<b>&amp;", nil), ("question?x=1#y", nil),
    ("back\\slash", nil), ("front/..hidden not", nil), ("a+b", nil), (String(repeating: "long", count: 60), nil),
    ("two.mp4", nil),
  ])
  func `whatever a name holds, it is listed as it is and served under its escaped name`(
    name: String, escaped: String?
  ) throws {
    try withServer { server in
      try server.addClip("plain.mp4")
      try server.waitForState("ready", of: "plain")
      guard !name.hasPrefix("front/.") else {
        // A name with a leading dot is hidden, whatever follows.
        try server.addClip(name + ".mp4")
        try server.waitForLine(with: "left out: \(name).mp4: its name starts with a dot")
        #expect(try server.list().map(\.name) == ["plain"])
        return
      }
      try server.addClip(name + ".mp4")
      let item = try server.waitForState("ready", of: name)
      if let escaped { #expect(item.url == "/recordings/\(escaped).mp4") }
      #expect(item.url.utf8.allSatisfy { (0x21..<0x7F).contains($0) }, "\(item.url)")
      #expect(try server.download(item.url) == server.download("/recordings/plain.mp4"))
      #expect(try server.get(item.url.dropLast(4) + ".json").contains("\"state\":\"ready\""))
      let table = try FootageProgram.command("list", "--recordings", server.recordings).run()
      #expect(table.lines.count == 3, "\(table.output)")
      #expect(table.output.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    }
  }

  @Test func `names that are not UTF-8 are listed as refused, and hidden ones are left out, with a line each`() throws {
    try withServer(recordings: ["good.mp4"]) { server in
      let clip = try Fixtures.clip()
      let copied = try Command(
        "sh", "-c",
        "cp \"$0\" \"$(printf 'caf\\351.mp4')\" && cp \"$0\" \"$(printf 'caf\\350.mp4')\" && cp \"$0\" .hidden.mp4 && "
          + "mkdir .dot \"$(printf 'kamera-\\351')\" && cp \"$0\" .dot/x.mp4 && cp \"$0\" \"$(printf 'kamera-\\351')/x.mp4\"",
        clip
      ).run(in: server.recordings)
      #expect(copied.succeeded, "\(copied.errors)")
      try server.waitForLine(with: "left out: .hidden.mp4")
      try server.waitForLine(with: "refused: caf\\xe9.mp4: its name")
      try server.waitForLine(with: "refused: kamera-\\xe9/x.mp4: its name")
      let list = try #require(JSONValue(Array(try server.get("/recordings?state=refused").utf8))?["recordings"]?.array)
      #expect(
        list.compactMap { $0["url"]?.string }.sorted()
          == ["/recordings/caf%E8.mp4", "/recordings/caf%E9.mp4", "/recordings/kamera-%E9/x.mp4"])
      #expect(list.compactMap { $0["name"]?.string }.sorted() == ["caf\u{FFFD}", "caf\u{FFFD}", "kamera-\u{FFFD}/x"])
      #expect(Set(list.compactMap { $0["nameBytes"]?.string }).count == 3)
      #expect(list.allSatisfy { $0["reason"]?.string?.contains("is not UTF-8") == true })
      let item = try server.get("/recordings/caf%E9.json")
      #expect(item.contains("\"nameBytes\":\"Y2Fm6Q==\""), "\(item)")
      for hidden in [".hidden", ".dot/x"] { #expect(try server.status("/recordings/\(hidden).mp4") == 404) }
      #expect(try server.status("/recordings/caf%E9.mp4") == 404)
      #expect(try server.status("/recordings/caf%EA.mp4") == 404)
      // Health is updated every few seconds.
      try eventually("health tells it") {
        let health = try server.get("/health")
        return health.contains("refused-lately") && health.contains("\u{FFFD}")
      }
      // A renamed file plays; a deleted one is gone.
      let renamed = try Command(
        "sh", "-c", "mv \"$(printf 'caf\\351.mp4')\" now.mp4 && rm \"$(printf 'caf\\350.mp4')\""
      ).run(in: server.recordings)
      #expect(renamed.succeeded)
      try server.waitForState("ready", of: "now")
      try eventually("the others are gone") { try !server.get("/recordings?state=refused").contains("caf%E") }
    }
  }
}

extension Command {
  /// Runs the command in a folder.
  fileprivate func run(in folder: String) throws -> Outcome {
    try Command("env", arguments: ["--chdir=" + folder, program] + arguments, environment: environment).run()
  }
}
