@testable import FootageHTTP
@testable import FootageServing
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageServer

/// The lines of the log, and their number in a flood of events.
@Suite struct LogTests {
  /// A log whose lines are kept, on a clock that the test moves.
  private final class Scene {
    let time = MovableClock(unixSeconds: 1_795_169_730)
    private let written = EventLog<String>()
    private let writer: LineWriter

    init() throws { writer = try LineWriter { [written] in written.append(String(decoding: $0, as: UTF8.self)) } }

    func log(_ level: LogLevel = .debug, isUnderJournal: Bool = true) -> Log {
      Log(level: level, isUnderJournal: isUnderJournal, to: writer, clock: time.clock)
    }

    /// Closes the log and returns all its lines.
    func lines() -> [String] {
      writer.close()
      return written.all.joined().split(separator: "\n").map(String.init)
    }
  }

  private static let peer = SocketAddress(addressBytes: [192, 0, 2, 7], port: 50_000)

  // MARK: Lines

  @Test func `a line has its time and its level, or systemd's priority`() throws {
    let scene = try Scene()
    for level in LogLevel.allCases { scene.log(isUnderJournal: false)(level, "words") }
    for level in LogLevel.allCases { scene.log()(level, "words") }
    #expect(
      scene.lines() == [
        "2026-11-20T10:15:30Z error: words", "2026-11-20T10:15:30Z warning: words", "2026-11-20T10:15:30Z info: words",
        "2026-11-20T10:15:30Z debug: words", "<3>words", "<4>words", "<6>words", "<7>words",
      ])
  }

  @Test func `what is below the level is not even made`() throws {
    let scene = try Scene()
    let log = scene.log(.warning)
    var made = 0
    func words() -> String {
      made += 1
      return "words"
    }
    for level in LogLevel.allCases { log(level, words()) }
    #expect(made == 2 && scene.lines() == ["<3>words", "<4>words"])
  }

  @Test func `an event is one line, whatever is in it, and no longer than a path can be`() throws {
    let scene = try Scene()
    scene.log()(.info, "a\nb\u{1B}[2J\rc")
    scene.log()(.info, String(repeating: "x", count: 100_000))
    let lines = scene.lines()
    #expect(lines.count == 2)
    #expect(lines.first?.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    #expect((lines.last?.utf8.count ?? 0) < 5_100)
  }

  @Test(arguments: [("error", LogLevel.error), ("warning", .warning), ("info", .info), ("debug", .debug)])
  func `levels have names`(name: String, level: LogLevel) {
    #expect(LogLevel(name) == level && level.name == name && LogLevel(name.uppercased()) == nil)
  }

  // MARK: Requests

  @Test func `a request's line says who asked for what, and what became of it`() throws {
    let head = try request("/recordings/x.mp4", ["Range: bytes=0-1"])
    func line(_ head: RequestHead?, client: String? = nil, isCutOff: Bool = false) -> String {
      AccessLog.line(
        HTTPExchange(
          peer: Self.peer, identity: client.map { ClientIdentity(name: $0, certificateDigest: [], key: nil) },
          request: head,
          status: .partialContent, byteCount: 65_536, duration: .microseconds(1_249), isCutOff: isCutOff, wasHeld: false
        ))
    }
    #expect(line(head) == #"192.0.2.7 "GET /recordings/x.mp4" 206 65536 bytes 1.2 ms range "bytes=0-1""#)
    #expect(line(nil) == #"192.0.2.7 "-" 206 65536 bytes 1.2 ms"#)
    #expect(
      line(nil, client: "alice", isCutOff: true) == #"192.0.2.7 "-" 206 65536 bytes 1.2 ms client "alice" cut off"#)
    // The name in a certificate may contain anything.
    #expect(!line(nil, client: "a\"\n\u{1B}b").unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test func `a wait that came to nothing is no news`() throws {
    let scene = try Scene()
    let access = AccessLog(scene.log(), ConnectionReport(scene.log()), shares: 1, isOn: true)
    for (status, wasHeld) in [(HTTPStatus.ok, false), (.notModified, false), (.notModified, true), (.ok, true)] {
      access.ended(
        HTTPExchange(
          peer: Self.peer, identity: nil, request: nil, status: status, byteCount: 0, duration: .zero, isCutOff: false,
          wasHeld: wasHeld))
    }
    #expect(scene.lines().map { $0.prefix(3) } == ["<6>", "<6>", "<7>", "<6>"])
  }

  @Test func `too many lines in a second are left out, counted, and told in the next`() throws {
    let scene = try Scene()
    let access = AccessLog(scene.log(), ConnectionReport(scene.log()), shares: 1, isOn: true)
    for _ in 0..<205 { access.write(.info, about: Self.peer, "line") }
    access.saySuppressed()
    scene.time.advance(by: .seconds(1))
    access.saySuppressed()
    access.saySuppressed()
    let lines = scene.lines()
    #expect(lines.count == 201)
    #expect(lines.last == "<4>5 more lines about requests were omitted: there were too many in one second")
  }

  // MARK: Floods

  @Test func `connections that are turned away make a line a second of each kind`() throws {
    let scene = try Scene()
    let report = RateLimitedLog(scene.log())
    let refused = HTTPServerEvent.refused(Self.peer, .tooMany(limit: 3))
    for _ in 0..<3 { report(refused) }
    report(.gaveUp(Self.peer, .waiting(since: scene.time.clock.now)))
    report(.descriptorsExhausted("EMFILE"))
    scene.time.advance(by: .milliseconds(999))
    report(refused)
    scene.time.advance(by: .milliseconds(1))
    report(refused)
    report(.refused(Self.peer, .tooManyFromAddress(limit: 1)))
    scene.time.advance(by: .seconds(61))
    report(.gaveUp(Self.peer, .handshaking(since: scene.time.clock.now.advanced(by: .init(.zero)))))
    #expect(
      scene.lines() == [
        "<4>turned 192.0.2.7 away: there are already 3 connections (--max-connections)",
        "<4>closed a connection of 192.0.2.7, which had requested nothing for less than a second, because others are "
          + "waiting for a place",
        "<3>cannot accept connections for now, because descriptors have run out: EMFILE; raise ulimit -n",
        "<4>turned 192.0.2.7 away: there are already 3 connections (--max-connections) (and 3 more in the meantime)",
        "<4>closed a connection of 192.0.2.7, whose handshake had taken less than a second, because others are waiting "
          + "for a place",
      ])
  }

  @Test func `clients that are refused, and handshakes that fail, make a line a second each`() throws {
    let scene = try Scene()
    let report = ConnectionReport(scene.log())
    for _ in 0..<3 { report(.timedOut, from: Self.peer) }
    report.flush()
    scene.time.advance(by: .seconds(1))
    report.flush()
    report.flush()
    report(.timedOut, from: Self.peer)
    scene.time.advance(by: .seconds(1))
    report(.timedOut, from: Self.peer)
    // A client that only checks if the port is open is not an event.
    report(.disconnected, from: Self.peer)
    let lines = scene.lines()
    #expect(lines.map { $0.prefix(3) } == ["<4>", "<4>", "<4>", "<7>"], "\(lines)")
    #expect(lines[0].hasPrefix("<4>no TLS connection with 192.0.2.7: "))
    #expect(lines[1] == "<4>no TLS connection with 2 more clients")
    #expect(lines[2].hasSuffix(" (and 1 more in the meantime)"))
  }
}
