/// The downloads of curl and wget: complete, in ranges, and in several runs.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct DownloadTests {
  /// Returns the bytes of a range that curl requests, and the status.
  private func range(_ range: String, from server: Server) throws -> (status: String, bytes: Data) {
    let target = server.folder.path("part-\(UUID().uuidString)")
    let outcome = try server.curl(
      "--range", range, "--output", target, "--write-out", "%{http_code}", server.url + "/recordings/x.mp4"
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return (outcome.output, try Data(contentsOf: URL(fileURLWithPath: target)))
  }

  @Test func `curl gets the same whole recording each time, as long as the list says`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let whole = try server.download("/recordings/x.mp4")
      let item = try #require(try server.item("x"))
      #expect(whole.count == item.size)
      #expect(item.url == "/recordings/x.mp4")
      #expect(try server.download("/recordings/x.mp4") == whole)
      #expect(try server.download("/recordings/x.mp4", "--tlsv1.2", "--tls-max", "1.2") == whole)
      #expect(try server.download("/recordings/x.mp4", "--http1.0") == whole)
    }
  }

  @Test func `curl gets the ranges that it asks for, and no others`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let whole = try server.download("/recordings/x.mp4")
      let middle = whole.count / 2
      let tables: [(String, Range<Int>)] = [
        ("0-1", 0..<2), ("0-", 0..<whole.count), ("-500", (whole.count - 500)..<whole.count),
        ("\(middle)-", middle..<whole.count), ("\(middle)-\(middle + 99_999)", middle..<(middle + 100_000)),
        ("100-99999999999999999999", 100..<whole.count), ("-99999999999999999999", 0..<whole.count),
      ]
      for (header, expected) in tables {
        let answer = try range(header, from: server)
        #expect(answer.status == "206", "\(header)")
        #expect(answer.bytes == whole[expected], "\(header)")
      }
      #expect(try range("\(whole.count)-", from: server).status == "416")
    }
  }

  @Test func `several parts come as multipart, with the bytes of each`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let whole = try server.download("/recordings/x.mp4")
      let answer = try range("0-99,5000-5099", from: server)
      #expect(answer.status == "206")
      let text = String(decoding: answer.bytes, as: UTF8.self)
      #expect(text.contains("bytes 0-99/\(whole.count)"))
      #expect(text.contains("bytes 5000-5099/\(whole.count)"))
      #expect(answer.bytes.range(of: whole[0..<100]) != nil)
      #expect(answer.bytes.range(of: whole[5000..<5100]) != nil)
    }
  }

  @Test func `a download that was cut off goes on with curl -C - and wget -c`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let whole = try server.download("/recordings/x.mp4")
      for tool in ["curl", "wget"] {
        let target = server.folder.path("resumed-\(tool)")
        try whole.prefix(whole.count / 3).write(to: URL(fileURLWithPath: target))
        let url = server.url + "/recordings/x.mp4"
        let outcome =
          tool == "curl"
          ? try server.curl("--fail", "--continue-at", "-", "--output", target, url).run()
          : try Command(
            "wget", "--quiet", "--tries=1", "--ca-certificate=\(server.certs)/server.pem", "--continue",
            "--output-document=\(target)", url
          ).run()
        #expect(outcome.succeeded, "\(tool): \(outcome.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == whole, "\(tool)")
      }
      let partial = try server.answered("206 \(whole.count - whole.count / 3) bytes")
      #expect(partial.count == 2, "each asked for the rest alone: \(server.story)")
    }
  }

  @Test func `a resume of another version is not mixed with it when the entity tag is given`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let old = try #require(try server.item("x")?.etag)
      try Fixtures.record(seconds: 2, to: server.folder.path("y.mp4"))
      try FileManager.default.removeItem(atPath: server.file("x.mp4"))
      try FileManager.default.moveItem(atPath: server.folder.path("y.mp4"), toPath: server.file("x.mp4"))
      try eventually("the new version") { try server.item("x").map { $0.state == "ready" && $0.etag != old } ?? false }
      #expect(try server.status("/recordings/x.mp4", "--range", "100-", "--header", "If-Range: \(old)") == 200)
      #expect(try server.status("/recordings/x.mp4", "--header", "If-Match: \(old)") == 412)
      let new = try #require(try server.item("x")?.etag)
      #expect(try server.status("/recordings/x.mp4", "--range", "100-", "--header", "If-Range: \(new)") == 206)
      #expect(try server.status("/recordings/x.mp4", "--header", "If-None-Match: \(new)") == 304)
    }
  }

  @Test func `curl --parallel gets many recordings at once, over several connections`() throws {
    let names = (1...12).map { "camera\($0 % 3)/clip\($0)" }
    try withServer("--threads", "1", recordings: names.map { $0 + ".mp4" }) { server in
      let whole = try server.download("/recordings/\(names[0]).mp4")
      let targets = names.indices.map { server.folder.path("parallel-\($0)") }
      let requests = zip(names, targets).flatMap { [server.url + "/recordings/\($0.0).mp4", "--output", $0.1] }
      let outcome = try server.curl(arguments: ["--fail", "--parallel", "--parallel-immediate"] + requests).run()
      #expect(outcome.succeeded, "\(outcome.errors)")
      for target in targets { #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == whole) }
    }
  }

  @Test func `one connection serves request after request`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let urls = (0..<20).flatMap { _ in [server.url + "/recordings/x.mp4", "--output", "/dev/null"] }
      let outcome = try server.curl(
        arguments: ["--range", "0-1", "--write-out", "%{http_code} %{num_connects}\n"] + urls
      ).run()
      #expect(outcome.lines == ["206 1"] + [String](repeating: "206 0", count: 19), "\(outcome.errors)")
    }
  }

  @Test(arguments: [
    ("GET", "/recordings/none.mp4", 404, "not-found"), ("GET", "/recordings/../x.mp4", 404, "not-found"),
    ("GET", "/recordings/%2e%2e/x.mp4", 404, "not-found"),
    ("GET", "/recordings/.footage/catalog.sqlite", 404, "not-found"),
    ("GET", "/recordings?limit=x", 400, "bad-query"), ("POST", "/recordings/x.mp4", 405, "method-not-allowed"),
    ("DELETE", "/recordings/x.mp4", 405, "method-not-allowed"), ("BREW", "/", 501, "unknown-method"),
  ])
  func `what cannot be had is refused with a status, a code and a word of advice`(
    method: String, path: String, status: Int, code: String
  ) throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let outcome = try server.curl(
        "--path-as-is", "--request", method, "--write-out", "%{http_code} %{content_type}", server.url + path
      ).run()
      #expect(outcome.output.hasSuffix("\(status) application/problem+json"), "\(outcome.output)")
      #expect(outcome.output.contains("\"code\":\"\(code)\""), "\(outcome.output)")
      #expect(outcome.output.contains("\"detail\":\""))
    }
  }

  @Test func `without the certificate as its authority no client accepts the server`() throws {
    try withServer { server in
      #expect(try Command("curl", "--silent", "https://127.0.0.1:\(server.port)/health").run().status == 60)
      let pin = server.pin.dropFirst("sha256/".count)
      let pinned = try server.curl("--pinnedpubkey", "sha256//" + pin, server.url + "/health").run()
      #expect(pinned.succeeded, "\(pinned.errors)")
      let other = "AAAA" + pin.dropFirst(4)
      #expect(try server.curl("--pinnedpubkey", "sha256//" + other, server.url + "/health").run().status == 90)
    }
  }
}
