import FootageAPI
import Formats
import Testing

/// A target as a server reads it: its path and its query.
private func resource(_ target: String) throws(ResourceError) -> Resource {
  let parts = Array(target.utf8).split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
  return try Resource(path: parts[0], query: parts.count > 1 ? parts[1] : nil)
}

private func movie(_ name: String, _ version: String? = nil) -> Resource {
  .recording(name: name, .movie(version: version.map { VersionTag(text: $0) }))
}

private func keyFrame(_ name: String, _ seconds: String, _ version: String? = nil) throws -> Resource {
  .recording(
    name: name, .keyFrame(at: try #require(DecimalSeconds(seconds)), version: version.map { VersionTag(text: $0) }))
}

@Suite struct ResourceTests {
  @Test(arguments: [
    ("/", Resource.page), ("/health", .health(isLive: false)), ("/he%61lth", .health(isLive: false)),
    ("/health?live", .health(isLive: true)), ("/health?x=%&live", .health(isLive: true)),
    ("/metrics", .metrics), ("/metrics?x=1", .metrics), ("/health?alive=1", .health(isLive: false)), ("/?x=1", .page),
    ("/cameras", .cameras), ("/c%61meras?x=1", .cameras),
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
    ("/recordings?after=5_61", .recordings(ListQuery(after: ListCursor(text: "5_61")))),
    ("/recordings/x.mp4", movie("x")), ("/%72ecordings/x%2Emp4", movie("x")),
    ("/recordings/x%2ejso%6E", .recording(name: "x", .details)),
    ("/recordings/x.json?keyframe=1", .recording(name: "x", .details)),
    ("/recordings/a%20b%2Dc.mp4", movie("a b-c")), ("/recordings/a%2Fb.mp4", movie("a/b")),
    // An escape is read once: what comes out is not read again.
    ("/recordings/%2561.mp4", movie("%61")), ("/recordings/a.b.mp4", movie("a.b")),
    ("/recordings/x.mp4?v=0011223344556677", movie("x", "0011223344556677")),
    ("/recordings/x.mp4?v=&t=1&t=2", movie("x")), ("/recordings/x.mp4?Keyframe=1", movie("x")),
  ])
  func `a target names a resource however its letters are written`(target: String, expected: Resource) throws {
    #expect(try resource(target) == expected)
  }

  @Test(arguments: [
    // What is escaped for a reason is data of its part, and never structure.
    "/recordings%2Fx.mp4", "%2Fhealth", "/%2568ealth", "/recordings/%ff.mp4", "/Health", "/recordings/x.MP4",
    "/recordings/", "/cameras/", "/recordings/.mp4", "/recordings/x", "*", "//", "/recordings/x.mp4/",
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
  ])
  func `a view that is asked for in a wrong way is refused`(query: String) {
    #expect { try resource("/recordings/x.mp4?\(query)") } throws: { error in
      guard let error = error as? ResourceError, case .badQuery(let words) = error else { return false }
      return error.code == .badQuery && words.hasSuffix(".")
    }
  }

  @Test(arguments: ["start=1", "end=2&start=1", "keys=0", "keys=1&speed=8&v=00", "speed=2"])
  func `a view that this version cannot make is told so`(query: String) {
    #expect { try resource("/recordings/x.mp4?\(query)") } throws: { error in
      guard case .unsupportedView? = error as? ResourceError else { return false }
      return true
    }
  }

  @Test(arguments: [
    "since=yesterday", "until=2026-13-01", "state=gone", "limit=0", "limit=x", "after=1795169730~61", "%zz", "after=x",
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
        limit: 200, after: ListCursor(ListCursor.Place(startedAt: UnixTimestamp(milliseconds: -7), path: "ü/x.mp4")))),
  ])
  func `what is written is read as the same`(asked: Resource) throws {
    #expect(try resource(asked.target) == asked)
  }
}
