/// Recordings go into a store and come back, as an operator sees it; and the program is killed on the way.
import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite struct OffloadProgramTests {
  private static let rounds = TestRun.isSoaking ? 200 : 5
  private static let count = 6
  private static let secret = "not/to+be-seen-0123456789"

  private let folder: TemporaryFolder
  private let run: TemporaryFolder
  private let store: FakeObjectStore
  private let clip: Data

  init() throws {
    folder = try TemporaryFolder()
    run = try TemporaryFolder()
    store = try FakeObjectStore()
    store.withContents { $0.smallestPart = 0 }
    clip = try Data(contentsOf: URL(filePath: try Fixtures.clip()))
    let key = folder.path("key")
    try Data("\(FakeObjectStore.accessKey)\n\(Self.secret)\n".utf8).write(to: URL(filePath: key))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
  }

  private var options: [String] {
    ["--offload", store.address("fleet"), "--offload-key", folder.path("key"), "--robot-name", "robot7"]
  }

  private var environment: [String: String] { ["RUNTIME_DIRECTORY": run.location] }

  /// Returns the content of a recording, which ends with a box of its own (ISO/IEC 14496-12 §8.1.2).
  private func content(_ number: Int) -> Data {
    clip + Data([0, 0, 0, 16]) + Data("free".utf8) + withUnsafeBytes(of: UInt64(number).bigEndian) { Data($0) }
  }

  private func path(_ number: Int) -> String { folder.path("recordings/\(number).mp4") }

  private func put(_ number: Int) throws {
    try content(number).write(to: URL(filePath: path(number)))
    let date = Date(timeIntervalSinceNow: Double(number - 1_000) * 100)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path(number))
  }

  private func offload(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    let outcome = try FootageProgram.command(["offload"] + arguments, environment: environment).run()
    return (outcome.status, outcome.output, outcome.errors)
  }

  /// Returns true if the store has the whole recording: its manifest, and the recorder's bytes.
  private func isStored(_ number: Int) -> Bool {
    store.withContents { contents in
      contents.keys.contains { key in
        guard key.hasPrefix("fleet/robot7/\(number)/"), key.hasSuffix(".json") else { return false }
        return contents["\(key.dropLast(5)).mp4"]?.bytes == [UInt8](content(number))
      }
    }
  }

  @Test func `a recording comes into the store, is played from there, and comes back`() throws {
    try put(1)
    let server = try Server(options, folder: folder, environment: environment)
    defer { server.kill() }
    try eventually("it is stored; \(server.story)") { try offload("status").output.contains("stored: 1 recording,") }
    #expect(isStored(1))
    let before = try server.get("/recordings/1.mp4")
    let item = try #require(JSONValue(Array(try server.get("/recordings/1.json").utf8)))
    #expect(item["place"]?.string == "both")
    try FileManager.default.removeItem(atPath: path(1))
    try eventually("it is in the store alone; \(server.story)") {
      JSONValue(Array(try server.get("/recordings/1.json").utf8))?["place"]?.string == "store"
    }
    let list = try FootageProgram.command(
      "list", "--json", "--recordings", folder.path("recordings"), environment: environment
    ).run()
    let listed = try #require(JSONValue(Array(list.output.utf8))?["recordings"]?.array)
    #expect(listed.map { $0["place"]?.string } == ["store"] && list.errors == "", "\(list)")
    #expect(try server.get("/recordings/1.mp4") == before)
    #expect(try server.get("/recordings/1.m3u8").hasPrefix("#EXTM3U"))
    #expect(try server.get("/metrics").contains("footage_stored_recordings 1"))
    let verified = try offload("verify", "--read")
    #expect(verified.status == 0 && verified.output == "1: it is in the store, byte for byte\n", "\(verified)")
    let restored = try offload("restore", "1")
    #expect(restored.status == 0, "\(restored)")
    #expect(try Data(contentsOf: URL(filePath: path(1))) == content(1))
    let unknown = try offload("restore", "nothing")
    #expect(unknown.status == 1 && unknown.output.contains("no recording with that name"), "\(unknown)")
    // The store goes away: recordings that are only there are reported as such, and nothing else is affected.
    try FileManager.default.removeItem(atPath: path(1))
    try put(2)
    store.kill()
    try eventually("health tells of it; \(server.story)") { try server.get("/health").contains("offload-away") }
    #expect(try offload("status").status == 1)
    try eventually("the new one is listed") { try server.get("/recordings").contains("\"2\"") }
    // Another process that asks for a port meanwhile may have been given the store's.
    try eventually("the store has its port again") { (try? store.restart()) != nil }
    try eventually("it is over; \(server.story)") { try !server.get("/health").contains("offload-away") }
    for line in server.log.split(separator: "\n") { #expect(!line.contains(Self.secret)) }
  }

  @Test func `wishes are taken over the socket alone, and leave a line`() throws {
    try put(1)
    let server = try Server(
      options + ["--status-listen", "localhost:0"], folder: folder, environment: environment)
    defer { server.kill() }
    try eventually("it is stored; \(server.story)") { try offload("status").output.contains("stored: 1 recording,") }
    let port = try eventually("its port") {
      server.log.firstMatch(of: /on this machine at .*http:\/\/127\.0\.0\.1:([0-9]+)\//).map { String($0.1) }
    }
    try FileManager.default.removeItem(atPath: path(1))
    try eventually("it is in the store alone; \(server.story)") {
      JSONValue(Array(try server.get("/recordings/1.json").utf8))?["place"]?.string == "store"
    }
    func post(_ place: [String], _ body: String) throws -> (code: String, text: String) {
      let outcome = try Command(
        "curl",
        arguments: [
          "--silent", "--max-time", "30", "--header", "Content-Type: application/json", "--data", body, "--write-out",
          "\n%{http_code}",
        ] + place
      ).run()
      let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
      return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }
    let address = ["http://127.0.0.1:\(port)/offload"]
    let socket = ["--unix-socket", run.path("status"), "http://localhost/offload"]
    for body in [#"{"verb": "remove", "names": ["1"]}"#, #"{"verb": "remove", "names": []}"#, "x"] {
      let answer = try post(address, body)
      #expect(answer.code == "403" && answer.text.contains("status socket"), "\(answer)")
    }
    for body in [#"{"verb": "remove"}"#, #"{"verb": "remove", "names": []}"#, #"{"verb": "remove", "all": true}"#] {
      #expect(try post(socket, body).code == "400")
    }
    #expect(isStored(1))
    #expect(!server.log.contains("audit: uid"))
    let verified = try offload("verify")
    #expect(verified.status == 0 && verified.output == "1: it is in the store, with the right length\n", "\(verified)")
    let removed = try offload("remove", "1.mp4")
    #expect(removed.status == 0 && removed.output == "1: it is deleted from the store\n", "\(removed)")
    #expect(!isStored(1))
    try server.waitForLine(with: "requests offload verify: all recordings")
    try server.waitForLine(with: "requests offload remove: 1.mp4")
    #expect(server.log.contains(try Regex("audit: uid \(getuid()), pid [1-9][0-9]* requests offload remove: 1.mp4")))
  }

  @Test func `whoever fills the address keeps nobody from asking over the socket`() throws {
    let server = try Server(["--status-listen", "localhost:0"], folder: folder, environment: environment)
    defer { server.kill() }
    let port = try eventually("its port") {
      server.log.firstMatch(of: /on this machine at .*http:\/\/127\.0\.0\.1:([0-9]+)\//).flatMap { UInt16($0.1) }
    }
    var held: [BlockingSocket] = []
    for _ in 0..<40 {
      let socket = try BlockingSocket(to: port)
      _ = socket.send(Array("POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n".utf8))
      held.append(socket)
    }
    for _ in 0..<3 {
      let asked = try FootageProgram.command("status", environment: environment).run()
      #expect(asked.status == 0, "\(asked.errors)")
    }
    for socket in held { socket.shutDown() }
    // Its own places are free again when those connections have ended.
    try eventually("an answer at the address") {
      try Command("curl", "--silent", "--fail", "--max-time", "5", "http://127.0.0.1:\(port)/health").run().succeeded
    }
  }

  @Test(.timeLimit(.minutes(30))) func `a program that is killed while it stores loses nothing`() throws {
    var generator = SeededGenerator(seed: TestRun.seed(of: "kills while recordings are stored"))
    let rules = ["--keep-at-least", "1s", "--max-size", "\(clip.count * 2)", "--offload-strict", "--log-level", "info"]
    _ = try FootageProgram.command("keep", "--recordings", folder.path("recordings"), "--mark-disk").run()
    for number in 0..<Self.count { try put(number) }
    for round in 0..<Self.rounds {
      let server = try Server(options + rules, folder: folder, environment: environment)
      defer { server.kill() }
      usleep(.random(in: 0..<900_000, using: &generator))
      server.kill()
      for number in 0..<Self.count {
        let hidden = folder.path("recordings/.footage-leaving-\(number).mp4")
        let here = FileManager.default.contents(atPath: path(number)) ?? FileManager.default.contents(atPath: hidden)
        #expect(here == content(number) || isStored(number), "round \(round): \(number) is nowhere")
      }
    }
    let server = try Server(options + rules, folder: folder, environment: environment)
    defer { server.kill() }
    try eventually("all are stored; \(server.story)") { (0..<Self.count).allSatisfy(isStored) }
    try eventually("all are listed; \(server.story)") {
      let list = try server.get("/recordings")
      return (0..<Self.count).allSatisfy { list.contains("\"name\":\"\($0)\"") }
    }
    #expect(store.withContents { $0.uploads.isEmpty })
  }
}
