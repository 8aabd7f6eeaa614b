import FootageAPI
@testable import FootageHTTP
@testable import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServer

/// One log line per playback and per problem, instead of sixty.
@Suite struct AuditTests {
  /// Two loops that count, and a log on a clock that the test moves.
  private final class Scene {
    let time = MovableClock(unixSeconds: 1_795_169_730)
    let trail: AuditTrail
    let loops: [PlaybackTally]
    private let written = EventLog<String>()
    private let writer: LineWriter

    init() throws {
      writer = try LineWriter { [written] in written.append(String(decoding: $0, as: UTF8.self)) }
      let trail = AuditTrail(Log(level: .debug, isUnderJournal: true, to: writer, clock: time.clock))
      self.trail = trail
      loops = (0..<2).map { _ in PlaybackTally(trail) }
    }

    /// Counts bytes of a target that a viewer receives.
    func get(
      _ target: String, as client: String? = nil, certificate: String? = nil, from last: UInt8 = 7,
      bytes: UInt64 = 1_000, status: Int = 206, method: String = "GET", loop: Int = 0
    ) throws {
      loops[loop].ended(
        HTTPExchange(
          peer: SocketAddress(addressBytes: [192, 0, 2, last], port: 1),
          identity: client.map { ClientIdentity(name: $0, certificateDigest: Array((certificate ?? $0).utf8)) },
          request: try request(target, method: method, []), status: HTTPStatus(status), byteCount: bytes, duration: nil,
          isCutOff: false, wasHeld: false))
    }

    func passSeconds(_ count: Int) {
      for _ in 0..<count {
        time.advance(by: .seconds(1))
        for loop in loops { loop.secondPassed() }
        trail.flush()
      }
    }

    /// Closes the log and returns all its lines.
    func lines() -> [String] {
      writer.close()
      return written.all.joined().split(separator: "\n").map(String.init)
    }
  }

  @Test func `sixty requests of a playback are one line, on however many loops`() throws {
    let scene = try Scene()
    for index in 0..<60 {
      try scene.get("/recordings/front/a%20b.mp4?v=1", as: "alice", loop: index % 2)
      scene.passSeconds(1)
    }
    scene.passSeconds(58)
    try scene.get("/recordings/front/a%20b.mp4", as: "alice", from: 9)
    scene.passSeconds(61)
    #expect(
      scene.lines() == [#"<6>audit: "alice" (192.0.2.7) got 61000 bytes of front/a b in 61 requests over 118 s"#])
  }

  @Test func `after a minute of silence it is another playback`() throws {
    let scene = try Scene()
    try scene.get("/recordings/a.mp4")
    scene.passSeconds(61)
    try scene.get("/recordings/a.mp4", bytes: 5)
    scene.passSeconds(1)
    scene.trail.flush(all: true)
    #expect(
      scene.lines() == [
        "<6>audit: 192.0.2.7 got 1000 bytes of a in 1 request over 0 s",
        "<6>audit: 192.0.2.7 got 5 bytes of a in 1 request over 0 s",
      ])
  }

  @Test func `a download that goes on for a day is told of in between`() throws {
    let scene = try Scene()
    for _ in 0..<1_441 {
      try scene.get("/recordings/a.mp4", bytes: 10)
      scene.time.advance(by: .seconds(59))
      scene.passSeconds(1)
    }
    #expect(scene.lines() == ["<6>audit: 192.0.2.7 got 14410 bytes of a in 1441 requests over 86400 s"])
  }

  @Test func `what went to more viewers at once than can be told of is summed up`() throws {
    let scene = try Scene()
    for index in 0..<5_000 { try scene.get("/recordings/\(index).mp4", bytes: 2) }
    scene.passSeconds(1)
    #expect(
      scene.lines() == [
        "<4>audit: 1808 more bytes were sent that are not listed by viewer, because there were too many viewers at once"
      ])
  }

  @Test func `viewers, and recordings, have lines of their own; pictures have one`() throws {
    let scene = try Scene()
    try scene.get("/recordings/a.mp4", as: "alice")
    try scene.get("/recordings/a.mp4", as: "bob")
    try scene.get("/recordings/b.mp4", as: "bob", status: 200)
    for second in 0..<34 { try scene.get("/recordings/b.mp4?keyframe=\(second)", as: "bob", status: 200) }
    scene.passSeconds(62)
    let lines = scene.lines()
    #expect(lines.count == 4)
    #expect(lines.contains(#"<6>audit: "bob" (192.0.2.7) got 34000 bytes of pictures in 34 requests over 0 s"#))
  }

  @Test func `a refused file that somebody got as it is has a line, which says so`() throws {
    let scene = try Scene()
    try scene.get("/recordings/front/a%20b.raw", as: "support", status: 200)
    scene.passSeconds(62)
    #expect(
      scene.lines() == [#"<6>audit: "support" (192.0.2.7) got 1000 bytes of front/a b.raw in 1 request over 0 s"#])
  }

  @Test func `a film is one thing however many parts it has, and so are the clips of a camera`() throws {
    let scene = try Scene()
    let film = "/hls/0011223344556677"
    for part in ["init.mp4", "0.m4s", "1.m4s", "next?after=1-2"] {
      try scene.get("\(film)/\(part)", as: "eve", status: 200)
    }
    try scene.get("/%68ls/0011223344556677/2.m4s", as: "eve", status: 200)
    try scene.get("\(film)/silent-aac/3.m4s", as: "eve", status: 200)
    try scene.get("\(film)/mute/4.m4s", as: "eve", status: 200)
    try scene.get("\(film)/k3.m4s", as: "eve", status: 200)
    for second in 1...2 { try scene.get("/cameras/a%20b.mp4?from=0&to=\(second)", as: "eve", status: 200) }
    try scene.get("/cameras/.mp4?from=0&to=1", as: "eve", status: 200)
    for silent in ["/cameras/a.json", "/cameras/a.m3u8", "/recordings/a.m3u8", "/recordings/a.index"] {
      try scene.get(silent, as: "eve", status: 200)
    }
    scene.passSeconds(62)
    let words = scene.lines().map { $0.dropFirst(#"<6>audit: "eve" (192.0.2.7) got "#.count) }.sorted()
    #expect(
      words == [
        "1000 bytes of clips of no camera in 1 request over 0 s", "1000 bytes of pictures in 1 request over 0 s",
        "2000 bytes of clips of the camera a b in 2 requests over 0 s",
        "7000 bytes of the film 0011223344556677 in 7 requests over 0 s",
      ])
  }

  @Test func `the film of a recording that is there has its name`() throws {
    let scene = try Scene()
    let known = FilmKey(ofRecording: "front/a b", entityTag: "0011")
    scene.trail.nameFilms { address in
      switch address {
      case .version(known, _): "front/a b"
      case .version: nil
      case .growing: "rear/now"
      }
    }
    try scene.get("/hls/\(known.text)/0.m4s", as: "eve", status: 200)
    try scene.get("/hls/\(known.text)/t2/0.m4s", as: "eve", status: 200)
    try scene.get("/hls/0011223344556677/next", as: "eve", status: 200)
    let gone = String(repeating: "0", count: 32)
    try scene.get("/hls/\(gone)/t1/0.m4s", as: "eve", status: 200)
    scene.passSeconds(62)
    let words = scene.lines().map { $0.dropFirst(#"<6>audit: "eve" (192.0.2.7) got 1000 bytes of "#.count) }.sorted()
    #expect(
      words == [
        "the film \(gone)/t1 in 1 request over 0 s", "the film of front/a b in 1 request over 0 s",
        "the film of front/a b, video track 2, in 1 request over 0 s", "the film of rear/now in 1 request over 0 s",
      ])
  }

  @Test func `nobody gets anything without a line by another spelling of its target`() throws {
    let scene = try Scene()
    for target in ["/%72ecordings/front/a.mp4", "/recordings/front/a.mp%34", "/recordings/front/a%2Emp4"] {
      try scene.get(target, as: "eve")
    }
    scene.passSeconds(62)
    #expect(
      scene.lines() == [#"<6>audit: "eve" (192.0.2.7) got 3000 bytes of front/a in 3 requests over 0 s"#])
  }

  @Test func `two certificates of one name are two viewers, and one is the same from wherever it comes`() throws {
    let scene = try Scene()
    for (certificate, last) in [("old", 7), ("new", 8), ("old", 9)] as [(String, UInt8)] {
      try scene.get("/recordings/a.mp4", as: "alice", certificate: certificate, from: last)
    }
    scene.passSeconds(62)
    #expect(
      scene.lines().sorted() == [
        #"<6>audit: "alice" (192.0.2.7) got 2000 bytes of a in 2 requests over 0 s"#,
        #"<6>audit: "alice" (192.0.2.8) got 1000 bytes of a in 1 request over 0 s"#,
      ])
  }

  @Test func `what gives nobody anything has no line`() throws {
    let scene = try Scene()
    try scene.get("/recordings/a.mp4", bytes: 0)
    for target in ["/recordings/a.mp4", "/recordings/a.raw"] { try scene.get(target, status: 404) }
    try scene.get("/recordings/a.mp4", method: "HEAD")
    for target in ["/", "/recordings", "/recordings/a.json", "/health", "/metrics"] {
      try scene.get(target, status: 200)
    }
    scene.passSeconds(62)
    #expect(scene.lines() == [])
  }

  @Test func `a name in it is one word of the line, whatever its author liked`() throws {
    let scene = try Scene()
    try scene.get("/recordings/a%0Ab.mp4", as: "eve\"\n")
    scene.passSeconds(62)
    let lines = scene.lines()
    #expect(
      lines.count == 1 && lines[0].hasPrefix(#"<6>audit: "eve\x22\x0a" (192.0.2.7) got 1000 bytes of a\x0ab in "#))
  }

  // MARK: Health

  @Test func `a trouble is told when it comes and when it goes, and one that flickers not each time`() {
    var log = HealthLog()
    let full = HealthReport(
      recordings: 0,
      reasons: [
        .init(.diskFull, "Full."), .init(.cameraLate, "Late.", camera: "rear"),
        .init(.refusedLately, "Said elsewhere."),
        .init(.camerasSilent, "Said by nobody."),
      ], forecastSeconds: nil)
    let well = HealthReport(recordings: 0, reasons: [], forecastSeconds: nil)
    func at(_ seconds: UInt64) -> Deadline { Deadline(milliseconds: 1_000_000 + seconds * 1_000) }
    #expect(log.lines(for: full, at: at(0)) == ["disk-full: Full.", "camera-late: Late."])
    #expect(log.lines(for: full, at: at(1)) == [])
    #expect(log.lines(for: well, at: at(2)) == ["camera-late of rear: resolved", "disk-full: resolved"])
    #expect(log.lines(for: full, at: at(3)) == [] && log.lines(for: well, at: at(4)) == [])
    #expect(log.lines(for: full, at: at(601)) == ["disk-full: Full.", "camera-late: Late."])
  }
}
