import FootageAPI
import FootageBase
import Testing

/// Parses a target as a server does, from its path and query.
private func resource(_ target: String) throws(ResourceError) -> Resource {
  let parts = Array(target.utf8).split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
  return try Resource(path: parts[0], query: parts.count > 1 ? parts[1] : nil)
}

private func movie(_ name: String, _ version: String? = nil) -> Resource {
  .recording(name: name, .movie(version: version.map { VersionTag(text: $0) }))
}

private func seconds(_ text: String) -> DecimalSeconds { DecimalSeconds(text) ?? .zero }

private func moment(_ text: String) -> UnixTimestamp { UnixTimestamp(rfc3339: text) ?? UnixTimestamp(milliseconds: -1) }

private func id(_ text: String) -> ItemTag? { ItemTag(text) }

private let film = "b1946ac92492d234b1946ac92492d235"

private func keyFrame(_ name: String, _ seconds: String, _ version: String? = nil) throws -> Resource {
  .recording(
    name: name, .keyFrame(at: try #require(DecimalSeconds(seconds)), version: version.map { VersionTag(text: $0) }))
}

@Suite struct ResourceTests {
  @Test(arguments: [
    ("/", Resource.page), ("/health", .health(isLive: false)), ("/he%61lth", .health(isLive: false)),
    ("/health?live", .health(isLive: true)), ("/health?x=%&live", .health(isLive: true)),
    ("/metrics", .metrics), ("/metrics?x=1", .metrics), ("/health?alive=1", .health(isLive: false)), ("/?x=1", .page),
    ("/cameras", .cameras()), ("/c%61meras?x=1", .cameras()),
    ("/cameras?robot=robot7", .cameras(robot: "robot7")),
    ("/recordings", .recordings(ListQuery())), ("/%72ecordings", .recordings(ListQuery())),
    ("/recordings?nobody=knows&%ff=1", .recordings(ListQuery())),
    ("/recordings?camera=a%2Fb+c&limit=7", .recordings(ListQuery(camera: "a/b c", limit: 7))),
    ("/recordings?camera=&state=refused", .recordings(ListQuery(state: .refused))),
    (
      "/recordings?since=2026-11-20&until=2026-11-20T10:15:30.25%2B01:00",
      .recordings(
        ListQuery(
          since: UnixTimestamp(rfc3339: "2026-11-20"), until: UnixTimestamp(rfc3339: "2026-11-20T09:15:30.250Z")))
    ),
    (
      "/recordings?lasting=1.50&state=ready",
      .recordings(ListQuery(state: .ready, lasting: DecimalSeconds("1.5")))
    ),
    ("/recordings?lasting=", .recordings(ListQuery())),
    ("/recordings?after=5_61", .recordings(ListQuery(after: ListCursor(text: "5_61")))),
    ("/recordings/x.mp4", movie("x")), ("/%72ecordings/x%2Emp4", movie("x")),
    ("/recordings/x%2ejso%6E", .recording(name: "x", .details)),
    ("/recordings/x.json?keyframe=1", .recording(name: "x", .details)),
    ("/recordings/a%20b%2Dc.mp4", movie("a b-c")), ("/recordings/a%2Fb.mp4", movie("a/b")),
    // An escape is decoded once; the result is not decoded again.
    ("/recordings/%2561.mp4", movie("%61")), ("/recordings/a.b.mp4", movie("a.b")),
    ("/recordings/x.mp4?v=0011223344556677", movie("x", "0011223344556677")),
    ("/recordings/x.mp4?v=&t=1&t=2", movie("x")), ("/recordings/x.mp4?Keyframe=1", movie("x")),
  ])
  func `a target names a resource however its letters are written`(target: String, expected: Resource) throws {
    #expect(try resource(target) == expected)
  }

  @Test(arguments: ["/recordings/caf%E9.json", "/recordings/%FF/%C3.json", "/recordings/%EF%B7%90.json"])
  func `a name need not be UTF-8, and no byte of it is lost`(target: String) throws {
    let resource = try resource(target)
    #expect(resource.target == target)
    guard case .recording(let name, .details) = resource else {
      Issue.record("it is no recording")
      return
    }
    #expect(!NameBytes.isPlain(name))
  }

  @Test(arguments: [
    // An escaped delimiter is data of its segment, never structure.
    "/recordings%2Fx.mp4", "%2Fhealth", "/%2568ealth", "/recordings/%f.mp4", "/Health", "/recordings/x.MP4",
    "/recordings/", "/cameras/", "/cameras/a", "/cameras/a.raw", "/cameras/a/b.json", "/cameras/a%2Fb.json",
    "/cameras/a.index", "/hls", "/hls/", "/recordings/.m3u8", "/recordings/.media.m3u8", "/recordings/.index",
    "/cameras/%fg.json", "/recordings/.mp4", "/recordings/x", "*", "//", "/recordings/x.mp4/",
  ])
  func `everything else is nothing`(target: String) {
    #expect(throws: ResourceError.unknownPath) { try resource(target) }
  }

  @Test(arguments: ["12", "0", "12.48", "0.000000001", "999999999.999999999"])
  func `a key frame is asked for by exact seconds`(seconds: String) throws {
    let asked = try keyFrame("a b", seconds)
    #expect(try resource("/recordings/a%20b.mp4?keyframe=\(seconds)") == asked)
    #expect(asked.target == "/recordings/a%20b.mp4?keyframe=\(seconds)")
    #expect(try resource("/recordings/a%20b.mp4?v=00&keyframe=\(seconds)") == keyFrame("a b", seconds, "00"))
  }

  @Test func `the same seconds are the same resource`() throws {
    #expect(try resource("/recordings/x.mp4?keyframe=007.500") == keyFrame("x", "7.5"))
  }

  @Test(arguments: [
    "keyframe=", "keyframe", "keyframe=-1", "keyframe=1e3", "keyframe=1.", "keyframe=.5", "keyframe=1234567890",
    "keyframe=1.1234567890", "keyframe=%31%", "keyframe=1&keyframe=1", "keyframe=1&start=2", "keyframe=1&t=2",
    "keyframe=1&v=", "keyframe=1&v=0&v=0", "from=1", "to=now&keyframe=1", "keyframe=%ff", "keyframe=1&%ff=2",
    "keyframe=١", "start=&end=1",
    // A clip must end after its beginning.
    "start=2&end=1", "start=1&end=1.0", "end=0", "end=0.0", "start=0&end=0", "start=1&end=2&end=3", "start=nan",
    "end=1000000000000000000000000000000", "start=1&keys=0", "end=1&speed=2", "start=1&v=&end=2", "start=1&id=0",
    "start=now", "start=1&end=now", "start=-0", "start=%2B1", "start=0x1", "start=1&from=2026-11-20",
    // Key frames.
    "keys=", "keys=-1", "keys=1&keys=2", "keys=x", "keys=NaN", "speed=2", "speed=2&v=00", "keys=0&speed=0",
    "keys=0&speed=1001", "keys=0&speed=1.5", "keys=0&speed=-1", "keys=0&speed=%2B2", "keys=0&speed=",
    // Video tracks.
    "track=1", "track=1&v=00", "keyframe=1&track=0", "keyframe=1&track=33", "keyframe=1&track=01", "keyframe=1&track=x",
    "keyframe=1&track=", "keyframe=1&track=1&track=1", "start=1&track=-1", "keys=0&track=2.0",
    "keys=0&speed=99999999999999999999", "keys=0&keyframe=1", "keys=0&start=1", "keys=0&end=1",
  ])
  func `a view that is asked for in a wrong way is refused`(query: String) {
    expectBadQuery("/recordings/x.mp4?\(query)")
  }

  @Test(arguments: [
    "x.m3u8?track=0", "x.m3u8?track=", "x.m3u8?track=1&track=1", "x.m3u8?track=2&%=", "x.media.m3u8?track=33",
    "x.iframes.m3u8?track=x", "x.media.m3u8?track=1&id=0011223344556677", "x.index?track=1",
  ])
  func `a track that makes no sense is never the usual one`(target: String) { expectBadQuery("/recordings/\(target)") }

  /// Each target is parsed as its resource, and the resource is written as the same target.
  @Test(arguments: [
    ("x.mp4?start=1", RecordingView.clip(start: seconds("1"), end: nil, version: nil)),
    ("x.mp4?start=0", .clip(start: .zero, end: nil, version: nil)),
    ("x.mp4?end=0.000000001", .clip(start: nil, end: seconds("0.000000001"), version: nil)),
    (
      "x.mp4?start=999999999.999999998&end=999999999.999999999",
      .clip(start: seconds("999999999.999999998"), end: seconds("999999999.999999999"), version: nil)
    ),
    (
      "x.mp4?start=1.5&end=2&v=0011223344556677",
      .clip(start: seconds("1.5"), end: seconds("2"), version: VersionTag(text: "0011223344556677"))
    ),
    ("x.mp4?keys=0", .keyFrames(every: .zero, speed: 1, version: nil)),
    ("x.mp4?keys=2.5&speed=1000", .keyFrames(every: seconds("2.5"), speed: 1_000, version: nil)),
    ("x.mp4?keys=1&speed=8&v=00", .keyFrames(every: seconds("1"), speed: 8, version: VersionTag(text: "00"))),
    ("x.mp4?start=1.5&end=2&track=2", .clip(start: seconds("1.5"), end: seconds("2"), track: 2, version: nil)),
    ("x.mp4?keyframe=1&track=32&v=00", .keyFrame(at: seconds("1"), track: 32, version: VersionTag(text: "00"))),
    ("x.mp4?keys=1&track=1", .keyFrames(every: seconds("1"), speed: 1, track: 1, version: nil)),
    ("x.m3u8?track=2", .playlist(track: 2)), ("x.media.m3u8?track=2", .mediaPlaylist(id: nil, track: 2)),
    ("x.iframes.m3u8?track=2", .keyFramePlaylist(id: nil, track: 2)),
    ("x.m3u8", .playlist()), ("x.media.m3u8", .mediaPlaylist(id: nil)),
    ("x.iframes.m3u8", .keyFramePlaylist(id: nil)),
    ("x.media.m3u8?id=00112233445566ff", .mediaPlaylist(id: id("00112233445566ff"))),
    ("x.iframes.m3u8?id=00112233445566ff", .keyFramePlaylist(id: id("00112233445566ff"))),
    ("x.manifest", .manifest(version: nil)), ("x.manifest?v=00", .manifest(version: VersionTag(text: "00"))),
    ("x.index", .index(version: nil)), ("x.index?v=00", .index(version: VersionTag(text: "00"))),
    ("x.json", .details), ("x.raw", .raw), ("x.keep", .protection),
  ])
  func `a view of a recording has one target`(target: String, view: RecordingView) throws {
    let asked = Resource.recording(name: "x", view)
    #expect(try resource("/recordings/\(target)") == asked)
    #expect(asked.target == "/recordings/\(target)")
  }

  @Test(arguments: [
    // Different spellings of the same request.
    ("/recordings/x.mp4?end=02.0&start=1.50", "/recordings/x.mp4?start=1.5&end=2"),
    ("/recordings/x.mp4?keys=00.00&speed=0001", "/recordings/x.mp4?keys=0"),
    ("/recordings/x%2Emedia.m3u8", "/recordings/x.media.m3u8"),
    // A playlist ignores parameters that it does not know, and has no versions.
    ("/recordings/x.m3u8?id=0&v=1&start=2&%=", "/recordings/x.m3u8"),
    ("/recordings/x.media.m3u8?v=1&start=2&start=3&anything", "/recordings/x.media.m3u8"),
    ("/recordings/x.index?v=&start=1", "/recordings/x.index"),
    ("/cameras/a.json?anything=1&%61nother", "/cameras/a.json"),
    ("/cameras/a.json?rows=1", "/cameras/a.json"),
    ("/cameras/a.m3u8?anything=1&rows=2", "/cameras/a.m3u8"),
    ("/cameras/a.m3u8?to=now", "/cameras/a.m3u8"),
    // A blank before a final HH:MM is a plus sign that a form has decoded as a blank.
    ("/cameras/a.json?from=2026-11-20T11:00:00+01:00", "/cameras/a.json?from=2026-11-20T10%3A00%3A00Z"),
    ("/cameras/a.json?from=2026-11-20T11:00:00.25%2001:00", "/cameras/a.json?from=2026-11-20T10%3A00%3A00.250Z"),
    ("/cameras/a.json?from=2026-11-20T11:00:00%2B01:00", "/cameras/a.json?from=2026-11-20T10%3A00%3A00Z"),
    ("/cameras/a.json?from=2026-11-20T09:00:00-01:00", "/cameras/a.json?from=2026-11-20T10%3A00%3A00Z"),
    ("/cameras/a.json?from=2026-11-20t10:00:00z", "/cameras/a.json?from=2026-11-20T10%3A00%3A00Z"),
    ("/cameras/a.json?from=2026-11-20", "/cameras/a.json?from=2026-11-20T00%3A00%3A00Z"),
    ("/cameras/a.json?from=1795168800", "/cameras/a.json?from=2026-11-20T10%3A00%3A00Z"),
    ("/cameras/a.json?from=1795168800.250999999", "/cameras/a.json?from=2026-11-20T10%3A00%3A00.250Z"),
    ("/cameras/a.json?from=0", "/cameras/a.json?from=1970-01-01T00%3A00%3A00Z"),
    ("/cameras/a.json?to=253402300799.999999999", "/cameras/a.json?to=9999-12-31T23%3A59%3A59.999Z"),
    ("/hls/0011223344556677/3.m4s?v=1&after=", "/hls/0011223344556677/3.m4s"),
    ("/%68ls/0011223344556677/init%2emp4", "/hls/0011223344556677/init.mp4"),
    ("/hls/0011223344556677/next?other=1", "/hls/0011223344556677/next"),
  ])
  func `the same is the same resource in whatever way it is written`(written: String, canonical: String) throws {
    let asked = try resource(written)
    #expect(asked.target == canonical)
    #expect(try resource(canonical) == asked)
  }

  /// The longest matching ending wins, so the meaning of `x.media.m3u8` does not depend on which recordings exist.
  @Test(arguments: ["x.media", "x.iframes", "a/.media", "x.media.media"])
  func `a recording whose name ends like a playlist is listed with its media playlist`(name: String) throws {
    let listed = Resource.recording(name: name, .playlist()).target
    #expect(listed == "/recordings/\(name).media.m3u8")
    #expect(try resource(listed) == .recording(name: name, .mediaPlaylist(id: nil)))
  }

  @Test(arguments: ["xmedia", "media", "x.medias", "x.media.x", "iframes", "x.m3u8"])
  func `and no other is`(name: String) throws {
    let asked = Resource.recording(name: name, .playlist())
    #expect(asked.target == "/recordings/\(name).m3u8")
    #expect(try resource(asked.target) == asked)
  }

  @Test(arguments: [
    ("init.mp4", FilmPart.initialization(entry: 0)), ("init1.mp4", .initialization(entry: 1)),
    ("video.mp4", .videoInitialization(entry: 0)), ("video12.mp4", .videoInitialization(entry: 12)),
    ("0.m4s", .segment(0)), ("999999999.m4s", .segment(999_999_999)), ("k0.m4s", .keyFrame(0)),
    ("k10.m4s", .keyFrame(10)), ("next", .next(after: nil)),
    ("next?after=17-004-9", .next(after: FilmCursor("17-004-9"))),
    ("silent-aac/init.mp4", .initialization(entry: 0, sound: .silence(.aac))),
    ("silent-opus/init1.mp4", .initialization(entry: 1, sound: .silence(.opus))),
    ("silent-flac/7.m4s", .segment(7, sound: .silence(.flac))), ("mute/0.m4s", .segment(0, sound: .mute)),
  ])
  func `a part of a film has one target`(target: String, part: FilmPart) throws {
    let (key, growing) = (try #require(FilmKey(film)), try #require(ItemTag("b1946ac92492d234")))
    for (address, text) in [
      (FilmAddress.version(key), film), (.version(key, track: 2), "\(film)/t2"),
      (.version(key, track: 32), "\(film)/t32"),
      (.growing(growing), "b1946ac92492d234"),
    ] {
      let asked = Resource.film(address, part)
      #expect(try resource("/hls/\(text)/\(target)") == asked)
      #expect(asked.target == "/hls/\(text)/\(target)")
      #expect(address.text == text && FilmAddress(text) == address)
    }
  }

  @Test(arguments: [
    "", "/", "00.m4s", "01.m4s", "1000000000.m4s", "-1.m4s", ".m4s", "k.m4s", "kk1.m4s", "k01.m4s", "1.M4S", "1.mp4",
    "init0.mp4", "init01.mp4", "init-1.mp4", "init1000000000.mp4", "Init.mp4", "video0.mp4", "x/init.mp4", "next/",
    "nex", "m4s", "1%2F.m4s", "٣.m4s", "silent-aac/", "silent-aac/k0.m4s", "silent-aac/video.mp4", "silent-aac/next",
    "silent-mp3/0.m4s",
    "silent-/0.m4s", "silent/0.m4s", "Mute/0.m4s", "mute/00.m4s", "mute/mute/0.m4s", "mute/t1/0.m4s", "/0.m4s",
  ])
  func `nothing else is a part of a film`(part: String) {
    for address in ["0011223344556677", film, "\(film)/t1"] {
      #expect(throws: ResourceError.unknownPath) { try resource("/hls/\(address)/\(part)") }
    }
  }

  @Test(arguments: [
    "001122334455667", "00112233445566778", "001122334455667G", "001122334455667F", "", "0011223344556677%2F",
    "b1946ac92492d234b1946ac92492d23", "b1946ac92492d234b1946ac92492d2355", "B1946ac92492d234b1946ac92492d235",
    "b1946ac92492d234b1946ac92492d23g", "+1946ac92492d234b1946ac92492d235", "b1946ac92492d234/t1", "\(film)/t0",
    "\(film)/t01", "\(film)/t33", "\(film)/t", "\(film)/t-1", "\(film)/2", "\(film)/t1/t2", "\(film)/T1",
    "\(film)/t99999999999999999999",
  ])
  func `nothing but sixteen or thirty-two digits is the address of a film`(text: String) {
    #expect(ItemTag(text) == nil && FilmKey(text) == nil && FilmAddress(text) == nil)
    #expect(throws: ResourceError.unknownPath) { try resource("/hls/\(text)/init.mp4") }
    #expect(throws: ResourceError.unknownPath) { try resource("/hls/\(text)") }
  }

  @Test(
    arguments: [
      ("a.keep", "a", CameraView.protection(.keep)), (".release", nil, .protection(.release)),
      ("a.json", "a", .timeline(TimelineQuery())), (".json", nil, .timeline(TimelineQuery())),
      ("a.json?rows=0", "a", .timeline(TimelineQuery(rows: .none))),
      ("a.json?after=1795168800000", "a", .timeline(TimelineQuery(after: TimelineCursor(text: "1795168800000")))),
      (
        "a%20b.x.json?from=2026-11-20T10%3A00%3A00Z&to=2026-11-20T10%3A00%3A00.001Z&after=5&rows=0", "a b.x",
        .timeline(
          TimelineQuery(
            from: moment("2026-11-20T10:00:00Z"), to: moment("2026-11-20T10:00:00.001Z"),
            after: TimelineCursor(UnixTimestamp(milliseconds: 5)), rows: .none))
      ),
      ("a.m3u8", "a", .playlist(from: nil, to: .now)), (".m3u8", nil, .playlist(from: nil, to: .now)),
      ("a.media.m3u8", "a.media", .playlist(from: nil, to: .now)),
      (
        "a.m3u8?from=2026-11-20T10%3A00%3A00Z", "a", .playlist(from: moment("2026-11-20T10:00:00Z"), to: .now)
      ),
      (
        "a.m3u8?from=2026-11-20T10%3A00%3A00Z&to=2026-11-21T10%3A00%3A00Z", "a",
        .playlist(from: moment("2026-11-20T10:00:00Z"), to: .at(moment("2026-11-21T10:00:00Z")))
      ),
      (
        ".mp4?from=2026-11-20T10%3A00%3A00Z&to=now", nil, .clip(from: moment("2026-11-20T10:00:00Z"), to: .now)
      ),
      (
        "a.mp4?from=1970-01-01T00%3A00%3A00Z&to=9999-12-31T23%3A59%3A59.999Z", "a",
        .clip(from: UnixTimestamp(milliseconds: 0), to: .at(moment("9999-12-31T23:59:59.999Z")))
      ),
    ] as [(String, String?, CameraView)])
  func `a view of a camera has one target`(target: String, camera: String?, view: CameraView) throws {
    let asked = Resource.camera(name: camera, view)
    #expect(try resource("/cameras/\(target)") == asked)
    #expect(asked.target == "/cameras/\(target)")
  }

  /// Wrong parameters for each kind of view, for a clip that is otherwise complete.
  @Test(arguments: [
    "from=", "from=yesterday", "from=now", "from=-1", "from=1e3", "from=nan", "from=NaN", "from=inf",
    "from=1000000000000000000000000000000", "from=2534023007990", "from=253402300800", "from=1.", "from=.5",
    "from=1.1234567890", "from=2026-13-01T00:00:00Z", "from=2026-11-20T10:00:00", "from=1969-12-31T23:59:59Z",
    "from=1970-01-01T00:00:00%2B00:01", "from=2026-11-20T10:00:00++01:00", "from=%20%2001:00", "from=%2001:00",
    "from=1&from=1", "from=%ff", "from=1&unknown=1", "from=1&v=0011223344556677", "from=1&keyframe=1",
    "from=1&start=1", "from=1&end=1", "from=1&keys=0", "from=1&speed=1", "start=1", "end=1", "keys=0", "keyframe=1",
    "speed=2", "from=1&id=0011223344556677",
  ])
  func `a camera's time that is asked for in a wrong way is refused`(query: String) {
    for view in ["json", "m3u8", "mp4"] { expectBadQuery("/cameras/a.\(view)?\(query)&to=9999-01-01") }
    for view in ["json", "m3u8"] { expectBadQuery("/cameras/a.\(view)?\(query)") }
  }

  @Test(arguments: [
    "json?from=2&to=2", "json?from=3&to=2", "m3u8?from=2&to=2", "m3u8?from=3&to=2.999", "mp4?from=2&to=2",
    "mp4?to=2&from=2.0009", "mp4", "mp4?x=1", "mp4?from=1", "mp4?to=1", "mp4?to=now", "json?to=now",
    "json?from=1&to=now",
    "m3u8?to=Now", "m3u8?from=1&to=now&to=now", "m3u8?to=", "mp4?from=1&to=2&rows=0", "m3u8?from=1&after=5",
    "json?rows=2", "json?rows=", "json?rows=0&rows=0", "json?rows=00", "json?after=", "json?after=x", "json?after=-1",
    "json?after=1&after=1", "json?after=1000000000000000", "json?from=1&after=%ff", "json?from=1&rows=x",
    "json?%=1&rows=0",
  ])
  func `a time of a camera that ends before it begins, or lacks what it needs, is refused`(target: String) {
    expectBadQuery("/cameras/a.\(target)")
  }

  @Test(arguments: [
    "media.m3u8?id=", "media.m3u8?id=0", "media.m3u8?id=0011223344556677&id=0011223344556677",
    "iframes.m3u8?id=001122334455667F", "iframes.m3u8?id=00112233445566778", "media.m3u8?id=%ff",
  ])
  func `an ID that is none is refused`(target: String) { expectBadQuery("/recordings/x.\(target)") }

  @Test(arguments: ["", "x", "1_2", "1&after=2", "%ff", "%", String(repeating: "1", count: 65)])
  func `a place in a growing film that is none is refused`(cursor: String) {
    expectBadQuery("/hls/0011223344556677/next?after=\(cursor)")
  }

  /// Expects the error of a bad query, with a sentence that says what to do.
  private func expectBadQuery(_ target: String, at location: SourceLocation = #_sourceLocation) {
    #expect(sourceLocation: location) {
      let read = try resource(target)
      Issue.record("\(target) is \(read)", sourceLocation: location)
    } throws: { error in
      guard let error = error as? ResourceError, case .badQuery(let words) = error else { return false }
      return error.code == .badQuery && words.hasSuffix(".")
    }
  }

  @Test(arguments: [
    "since=yesterday", "until=2026-13-01", "state=gone", "lasting=0", "lasting=-1", "lasting=1m", "lasting=1e3",
    "lasting=1000000000",
    "limit=0", "limit=x", "after=1795169730~61", "%zz", "after=x",
  ])
  func `a list that is asked for in a wrong way is refused`(query: String) {
    #expect { try resource("/recordings?\(query)") } throws: { error in
      guard case .badQuery? = error as? ResourceError else { return false }
      return true
    }
  }

  @Test(arguments: [
    Resource.page, .health(isLive: false), .health(isLive: true), .recordings(ListQuery()),
    .recording(name: "front/50% ü?#&.x", .details),
    movie("a/b"), movie("x", "0011223344556677"),
    .recordings(
      ListQuery(
        camera: "a b&c=d/%", since: UnixTimestamp(milliseconds: 1), until: UnixTimestamp(seconds: 5), state: .ready,
        lasting: DecimalSeconds("90.125"), limit: 200,
        after: ListCursor(ListCursor.Place(startedAt: UnixTimestamp(milliseconds: -7), path: "ü/x.mp4")))),
  ])
  func `what is written is read as the same`(asked: Resource) throws {
    #expect(try resource(asked.target) == asked)
  }
}
