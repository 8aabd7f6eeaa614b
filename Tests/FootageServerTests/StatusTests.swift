import FootageAPI
import FootageBase
import Foundation
import FootageHTTP
import FootageLibrary
import FootageServing
@testable import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing

@testable import FootageServer

/// The processes that may ask for the status on the robot itself, and the addresses for it.
@Suite struct StatusTests {
  @Test(arguments: [
    "127.0.0.1:9464", "localhost:9464", "[::1]:9464", "127.8.0.1:1", "/run/footage/metrics", "./socket",
  ])
  func `a path or a loopback address is a place to ask`(text: String) throws {
    #expect(try !StatusPlace(text).words.isEmpty)
  }

  @Test(arguments: [
    "", "9464", ":9464", "0.0.0.0:9464", "[::]:9464", "192.0.2.1:9464", "nonsense:x",
    "/" + String(repeating: "x", count: 107),
  ])
  func `what others could reach is none`(text: String) {
    #expect(throws: StatusPlace.Unfit.self) { try StatusPlace(text) }
  }

  @Test(arguments: [
    ("localhost", true), ("LOCALHOST:80", true), ("127.0.0.1:9464", true), ("[::1]:9464", true), ("[::1]", true),
    ("192.168.1.7:9464", true), ("robot7.local", false), ("evil.example:9464", false),
    ("localhost.evil.example", false),
    ("127.0.0.1.evil.example", false), ("[evil]", false), ("", false),
  ])
  func `a host is an address, or localhost`(host: String, isFine: Bool) {
    #expect(StatusHandler.namesThisMachine(Array(host.utf8)[...]) == isFine)
  }

  @Test func `an old client need not say`() { #expect(StatusHandler.namesThisMachine(nil)) }

  @Test func `the socket lies where the service has its folder, else where the user has one`() {
    func server(_ variables: [String: String]) -> String? { StatusSocket.ofServer { variables[$0] }?.path }
    func asked(_ variables: [String: String]) -> [String] { StatusSocket.places { variables[$0] }.map(\.words) }
    let user = ["XDG_RUNTIME_DIR": "/run/user/7"]
    let service = ["RUNTIME_DIRECTORY": "/run/footage:/run/more"]
    #expect(server([:]) == nil && server(user) == "/run/user/7/footage/status")
    #expect(server(service) == "/run/footage/status" && server(service.merging(user) { $1 }) == "/run/footage/status")
    let package = ["/run/footage-status/status", "/run/footage/status"]
    #expect(asked([:]) == package)
    #expect(asked(user) == package + ["/run/user/7/footage/status"])
    #expect(asked(["RUNTIME_DIRECTORY": "/run/other"]) == ["/run/other/status"] + package)
    #expect(asked(service) == ["/run/footage/status", "/run/footage-status/status"])
    #expect(asked(["RUNTIME_DIRECTORY": "/run/footage-status"]) == package)
  }

  @Test func `a unit of an earlier version has its socket where recorders do not reach it, where that is`() {
    func server(_ folder: String, _ own: [String]) -> String? {
      StatusSocket.ofServer({ ["RUNTIME_DIRECTORY": folder][$0] }, isOwn: own.contains)?.path
    }
    #expect(server("/run/footage", []) == "/run/footage/status")
    #expect(server("/run/footage", ["/run/footage-status"]) == "/run/footage-status/status")
    #expect(server("/run/other", ["/run/footage-status"]) == "/run/other/status")
    #expect(!StatusSocket.isOwnFolder("/nowhere") && !StatusSocket.isOwnFolder("/dev/null"))
  }

  // MARK: The answers, and their recipients

  private static let root = LocalPeer(user: 0, group: 0, process: 1)
  private static let stranger = LocalPeer(user: 65_533, group: 65_533, process: 2)

  private func answer(
    _ target: String, method: String = "GET", _ fields: [String] = [], from peer: LocalPeer?
  ) async throws -> (status: Int, text: String) {
    struct Well: HealthReporting {
      var report: HealthReport { HealthReport(recordings: 7, reasons: [], forecastSeconds: nil) }
    }
    let connection = HeldRequest(from: [127, 0, 0, 1])
    connection.localPeer = peer
    let writer = try LineWriter { _ in }
    defer { writer.close() }
    let handler = StatusHandler(
      Well(), Metrics(loops: 1) { _, text in text.family("x", .gauge, "y") },
      remaking: RemakingRoute(nil, on: try DocumentQueue(), log: Log(level: .error, isUnderJournal: true, to: writer)),
      log: Log(level: .error, isUnderJournal: true, to: writer))
    let head = try request(target, method: method, fields, host: "localhost")
    guard case .document(let document) = try await handler.respond(to: Request(head, over: connection)) else {
      Issue.record("it is no document")
      return (0, "")
    }
    return (Int(document.status.code), String(decoding: document.bytes, as: UTF8.self))
  }

  @Test func `an address answers for health and metrics, and for nothing else`() async throws {
    for method in ["GET", "HEAD"] {
      for target in ["/health", "/metrics"] {
        #expect(try await answer(target, method: method, from: nil).status == 200)
      }
    }
    for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
      let refusal = try await answer("/offload", method: method, from: nil)
      #expect(refusal.status == 403 && refusal.text.contains("status socket"), "\(method): \(refusal)")
    }
    #expect(try await answer("/offload?x", from: nil).status == 403)
    for method in ["POST", "PUT", "DELETE"] {
      #expect(try await answer("/health", method: method, from: nil).status == 405)
    }
    #expect(try await answer("/recordings", from: nil).status == 404)
  }

  @Test func `on the socket root and the server's user ask about the store, and no group`() async throws {
    let own = LocalPeer(user: geteuid(), group: 7, process: 3)
    for method in ["GET", "POST"] {
      let refusal = try await answer("/offload", method: method, from: Self.stranger)
      #expect(refusal.status == 403 && refusal.text.contains("Only root"), "\(refusal)")
      for peer in [Self.root, own] {
        // This server has no store.
        #expect(try await answer("/offload", method: method, from: peer).status == 404)
      }
    }
    #expect(try await answer("/health", from: Self.stranger).status == 200)
  }

  @Test func `on the socket root and the server's user rebuild recordings, and no group`() async throws {
    let own = LocalPeer(user: geteuid(), group: 7, process: 3)
    #expect(try await answer("/again", from: nil).status == 403)
    for method in ["GET", "POST"] {
      let refusal = try await answer("/again", method: method, from: Self.stranger)
      #expect(refusal.status == 403 && refusal.text.contains("Only root"), "\(refusal)")
      for peer in [Self.root, own] {
        // This server has no folder.
        #expect(try await answer("/again", method: method, from: peer).status == 404)
      }
    }
  }

  @Test func `what a command and a server say to each other is read as it was written`() throws {
    let results = [
      RemakingResult(Remade(name: "a", why: .header, before: "1", after: "2")),
      RemakingResult(Remade(name: "ü", why: nil, before: "1", after: "1")),
      RemakingResult(name: "b", failed: "it is being recorded"),
    ]
    #expect(results.map(\.outcome) == [.rebuilt, .unchanged, .failed])
    for result in results {
      var json = JSONWriter()
      result.write(into: &json)
      #expect(JSONValue(json.bytes).flatMap(RemakingResult.init) == result)
    }
    #expect(RemakingResult(JSONValue(Array(#"{"name":"a","outcome":"other"}"#.utf8)) ?? .null) == nil)
    var findings = LibraryFindings()
    (findings.olderRules, findings.sharedStarts, findings.examples) = (3, 4, ["a", "b"])
    var json = JSONWriter()
    findings.write(into: &json)
    #expect(JSONValue(json.bytes).flatMap { LibraryFindings($0) } == findings)
    #expect(LibraryFindings(JSONValue(Array("{}".utf8)) ?? .null) == nil)
    let texts = Finding.all(findings)
    #expect(texts.map(\.kind) == [.degraded, .fine])
    #expect(texts.first?.text.contains("a and b: set --layout") == true)
    #expect(texts.last?.text.contains("footage ingest --again --all") == true)
    #expect(Finding.all(LibraryFindings()).isEmpty)
  }

  @Test func `long lists of older recordings come page by page`() {
    let names = (0..<2_500).map { "a\(10_000 + $0)" }
    var pages = [OlderRecordings(names, after: nil)]
    while let last = pages.last?.names.last { pages.append(OlderRecordings(names, after: last)) }
    #expect(pages.map(\.names.count) == [1_000, 1_000, 500, 0] && pages.flatMap(\.names) == names)
  }

  @Test func `the kernel says who is at the other end of a socket with a path`() throws {
    let folder = try TemporaryFolder()
    let listener = try LocalListener(folder.path("status"), mode: 0o660)
    let client = try LocalConnection(to: listener.path, wakeUp: try WakeUp())
    guard case .accepted(let socket) = listener.socket.accept() else {
      Issue.record("nobody came")
      return
    }
    #expect(socket.localPeer?.user == geteuid() && socket.localPeer?.process == getpid())
    _ = consume client
  }

  @Test func `what a service's file of defaults says goes before the unit, as systemd reads it`() {
    let text = """
      # FOOTAGE_RECORDINGS=/no
      ; FOOTAGE_RECORDINGS=/no
        FOOTAGE_RECORDINGS = "/media/a b"
      FOOTAGE_LISTEN='[::]:443'
      FOOTAGE_CLIENT_AUTH=require
      nonsense
      """
    let defaults = ServiceDefaults(["FOOTAGE_RECORDINGS": "/srv/recordings", "FOOTAGE_CERTS": "/etc/footage"], text)
    #expect(defaults["FOOTAGE_RECORDINGS"] == "/media/a b" && defaults["FOOTAGE_LISTEN"] == "[::]:443")
    #expect(defaults["FOOTAGE_CERTS"] == "/etc/footage" && defaults["FOOTAGE_CLIENT_AUTH"] == "require")
  }

  @Test(
    arguments: [
      (["raspberrypi", "raspberrypi.local", "localhost"], "robot7", true),
      (["localhost", "robot7.local"], "robot7", false), (["localhost", "Robot7"], "robot7", false),
      (["robot7.example.org", "localhost"], "robot7", false), (["robot7", "localhost"], "Robot7.example.org", false),
      (["localhost"], "robot7", false), ([], "robot7", false), (["localhost", "*.example.org"], "robot7", false),
      (["robot70", "localhost"], "robot7", true), (["dash.example.org"], "robot7", false),
    ])
  func `a machine that was renamed since its certificate was made is noticed`(
    _ names: [String], _ hostName: String, _ isNoticed: Bool
  ) {
    let findings = Examination.nameFindings(of: names.map { .host($0) }, hostName: hostName, in: "/etc/footage")
    #expect(findings.isEmpty != isNoticed)
    if let finding = findings.first {
      #expect(finding.kind == .degraded && finding.text.contains("gen-certs.sh --out /etc/footage --renew --this-host"))
    }
  }

  @Test func `a doctor's words fit onto a screen, the worst first`() {
    let many = (0..<40).map { Finding($0 == 7 ? .failing : .degraded, "\($0)") }
    let lines = Finding.text(many).split(separator: "\n")
    #expect(lines.count == 20 && lines[0] == "WRONG  7" && lines[18] == "and 22 more")
    #expect(lines[19] == "40 things to do.")
    #expect(Finding.text([Finding(.fine, "a")]) == "ok     a\nNothing is wrong.")
    #expect(Finding.text((0..<19).map { Finding(.degraded, "\($0)") }).split(separator: "\n").count == 20)
  }

  @Test func `a key is closed to all but its owner and a group that is not root's`() throws {
    let folder = try TemporaryFolder()
    let key = folder.path("server.key")
    try Data().write(to: URL(fileURLWithPath: key))
    func mode() throws -> String { try FileStatus.of(key).secretMode }
    #expect(try mode() == "600")
    // Only root can change the owner of a file.
    guard geteuid() == 0 else { return }
    chown(key, 0, 65_534)
    #expect(try mode() == "640")
    chown(key, 65_534, 65_534)
    #expect(try mode() == "600")
  }

  @Test func `a living server's socket is left to it, and a dead one's gives way`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("status")
    do {
      let first = try LocalListener(path, mode: 0o660)
      #expect(try FileStatus.of(path).mode & 0o777 == 0o660 && LocalSocket.isHeld(path))
      #expect(throws: Errno.addressInUse) { try LocalListener(path, mode: 0o660) }
      _ = first
    }
    // The server was killed, so it did not remove the name.
    #expect(try FileStatus.of(path).kind == .other && !LocalSocket.isHeld(path))
    let second = try LocalListener(path, mode: 0o660)
    #expect(LocalSocket.isHeld(path))
    second.remove()
    #expect((try? FileStatus.of(path)) == nil)
  }

  @Test func `a name that is another's by now stays`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("status")
    let first = try LocalListener(path, mode: 0o660)
    first.socket.stop()
    let second = try LocalListener(path, mode: 0o660)
    first.remove()
    #expect(LocalSocket.isHeld(path))
    second.remove()
  }

  @Test func `a path that no socket can have is told`() throws {
    #expect(throws: Errno.nameTooLong) { try LocalListener("/tmp/" + String(repeating: "x", count: 120), mode: 0o660) }
  }
}
