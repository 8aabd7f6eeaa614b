/// A recorder at work in the folder of a running server, while people copy, move and delete files.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct RecorderTests {
  @Test func `a recording shows while ffmpeg writes it and plays when it is closed`() throws {
    try withServer { server in
      // The folder does not exist before the server starts.
      try FileManager.default.createDirectory(atPath: server.file("front/new"), withIntermediateDirectories: true)
      let recorder = try Command(
        "ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25", "-t", "3",
        "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "25", "-pix_fmt", "yuv420p",
        "-flush_packets", "1", server.file("front/new/x.mp4")
      ).start()
      let unfinished = try server.waitForState("recording", of: "front/new/x")
      #expect(unfinished.camera == "front")
      #expect(recorder.isRunning)
      let refusal = try server.curl(server.url + "/recordings/front/new/x.mp4").run().output
      #expect(refusal.contains("\"code\":\"not-ready\""), "\(refusal)")
      #expect(try recorder.exitStatus() == 0)
      let item = try eventually("it to be ready", within: .seconds(5)) {
        try server.item("front/new/x").flatMap { $0.state == "ready" ? $0 : nil }
      }
      #expect(abs(try #require(item.duration) - 3) < 0.1)
      let decoded = try Command(
        "ffmpeg", "-nostdin", "-v", "error", "-xerror", "-tls_verify", "1", "-ca_file", server.certs + "/server.pem",
        "-i", server.url + item.url, "-f", "null", "-"
      ).run()
      #expect(decoded.succeeded && decoded.errors.isEmpty, "\(decoded.errors)")
    }
  }

  @Test func `a file that is copied in plays`() throws {
    try withServer { server in
      let copied = try Command("cp", try Fixtures.clip(), server.file("copied.mp4")).run()
      #expect(copied.succeeded)
      let item = try server.waitForState("ready", of: "copied")
      #expect(try server.download(item.url).count == item.size)
    }
  }

  @Test func `a file that is renamed into the folder plays, under its new name alone`() throws {
    try withServer(recordings: ["a.mp4"]) { server in
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: server.folder.path("outside.mp4"))
      try FileManager.default.moveItem(atPath: server.folder.path("outside.mp4"), toPath: server.file("inside.mp4"))
      try server.waitForState("ready", of: "inside")
      try FileManager.default.moveItem(atPath: server.file("a.mp4"), toPath: server.file("b.mp4"))
      try server.waitForState("ready", of: "b")
      try eventually("the old name to go") { try server.status("/recordings/a.mp4") == 404 }
      #expect(try server.list().map(\.name).sorted() == ["b", "inside"])
    }
  }

  @Test func `a hard link, and an upload by a temporary name, play`() throws {
    try withServer { server in
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: server.folder.path("outside.mp4"))
      try FileManager.default.linkItem(atPath: server.folder.path("outside.mp4"), toPath: server.file("linked.mp4"))
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: server.file(".upload.mp4.part"))
      try FileManager.default.moveItem(atPath: server.file(".upload.mp4.part"), toPath: server.file("uploaded.mp4"))
      try server.waitForState("ready", of: "linked")
      try server.waitForState("ready", of: "uploaded")
      #expect(try server.list().count == 2)
    }
  }

  @Test func `a folder of folders that is moved in and away again comes and goes with all in it`() throws {
    try withServer { server in
      let outside = server.folder.path("tree")
      for name in ["one/a", "one/two/b", "one/two/three/c"] {
        let path = outside + "/" + name + ".mp4"
        try FileManager.default.createDirectory(
          atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: path)
      }
      try FileManager.default.moveItem(atPath: outside, toPath: server.file("tree"))
      for name in ["tree/one/a", "tree/one/two/b", "tree/one/two/three/c"] {
        try server.waitForState("ready", of: name)
      }
      try server.addClip("tree/one/two/three/d.mp4")
      #expect(try server.waitForState("ready", of: "tree/one/two/three/d").camera == "tree")
      try FileManager.default.moveItem(atPath: server.file("tree"), toPath: outside)
      try eventually("all to go") { try server.list().isEmpty }
    }
  }

  @Test func `a deleted recording leaves the list, and its disk is free`() throws {
    try withServer(recordings: ["x.mp4", "y.mp4"]) { server in
      // This makes the server open it.
      _ = try server.download("/recordings/x.mp4")
      try FileManager.default.removeItem(atPath: server.file("x.mp4"))
      try eventually("it to go") { try server.item("x") == nil }
      #expect(try server.status("/recordings/x.mp4") == 404)
      #expect(try server.list().map(\.name) == ["y"])
      let descriptors = "/proc/\(server.process.processIdentifier)/fd"
      try eventually("its descriptor to be closed") {
        try FileManager.default.contentsOfDirectory(atPath: descriptors).allSatisfy {
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + "/" + $0)
          return target?.hasSuffix("(deleted)") != true
        }
      }
    }
  }

  @Test func `two extensions of one name do not displace each other`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      try server.addClip("x.MOV")
      let second = try server.waitForState("refused", of: "x.MOV")
      #expect(second.reason?.hasPrefix("name taken by x.mp4") == true)
      #expect(try server.item("x")?.state == "ready")
      try FileManager.default.removeItem(atPath: server.file("x.mp4"))
      try server.waitForState("ready", of: "x")
      #expect(try server.list().count == 1)
    }
  }

  @Test func `what was indexed is there at once after a restart, and what changed meanwhile is found`() throws {
    let folder = try TemporaryFolder()
    let first = try Server(folder: folder)
    defer { first.kill() }
    for name in ["kept", "deleted", "replaced"] { try first.addClip(name + ".mp4") }
    let tag = try first.waitForState("ready", of: "kept").etag
    let old = try first.waitForState("ready", of: "replaced").etag
    try first.waitForState("ready", of: "deleted")
    try first.stop()
    try FileManager.default.removeItem(atPath: first.file("deleted.mp4"))
    try FileManager.default.removeItem(atPath: first.file("replaced.mp4"))
    try Fixtures.record(seconds: 1, to: first.file("replaced.mp4"))
    try first.addClip("new.mp4")
    let second = try Server(folder: folder)
    defer { second.kill() }
    #expect(try second.item("kept")?.etag == tag)
    try second.waitForState("ready", of: "new")
    try eventually("the replacement") {
      try second.item("replaced").map { $0.state == "ready" && $0.etag != old } ?? false
    }
    try eventually("the deleted one to go") { try second.item("deleted") == nil }
    #expect(second.lines(with: "ready: kept").isEmpty, "it need not be indexed again")
    try second.stop()
  }
}
