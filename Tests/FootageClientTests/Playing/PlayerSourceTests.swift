/// The form in which an Apple player is given a recording.
import FootageBase
import FootageMedia
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(2))) struct PlayerSourceTests {
  /// A recording whose `moov` ends at `headEnd`, and from which a film can be made.
  private static let movie = TestRecording.make(seconds: 40)

  @Test func `what begins with little is played as it is, and what begins with much as its film`() async throws {
    let scene = try PlayingScene(Self.movie.bytes)
    let playback = try await scene.open()
    let head = UInt64(Self.movie.headEnd)
    #expect(try await playback.preambleEnd() == head)
    #expect(try await playback.playerSource() == .file)
    #expect(try await playback.playerSource(largestPreamble: head) == .file)
    #expect(try await playback.playerSource(largestPreamble: head - 1) == .film)
  }

  @Test func `what nothing can be made of is played as it is`() async throws {
    let playback = try await PlayingScene(content(60_000)).open()
    #expect(try await playback.preambleEnd() == nil)
    #expect(try await playback.playerSource(largestPreamble: 0) == .file)
  }

  @Test func `a long beginning of which no film can be made is played as it is`() async throws {
    // Well-formed boxes without contents.
    let bytes = [0, 0, 0, 8] + Array("ftyp".utf8) + [0, 1, 0, 0] + Array("moov".utf8) + content(65_528 + 1000)
    let playback = try await PlayingScene(bytes).open()
    #expect(try await playback.preambleEnd() == 65_544)
    #expect(try await playback.playerSource(largestPreamble: 1_000) == .file)
  }

  @Test(
    arguments: [
      // Only small boxes, which are not all read.
      (0..<20).flatMap { _ in [0, 0, 0, 8] + Array("free".utf8) },
      // A box that is longer than the recording.
      [0, 0, 1, 0] + Array("moov".utf8) + content(100),
      // The media comes first.
      [0, 0, 0, 8] + Array("ftyp".utf8) + [0, 0, 0, 108] + Array("mdat".utf8) + content(100),
      // Cut off in a header.
      [0, 0, 0, 8] + Array("ftyp".utf8) + [0, 0, 0],
      // Shorter than its header.
      [0, 0, 0, 4] + Array("moov".utf8),
    ] as [[UInt8]])
  func `where no moov stands in front, none is found`(bytes: [UInt8]) async throws {
    #expect(try await PlayingScene(bytes).open().preambleEnd() == nil)
  }

  @Test func `a length of 64 bits is read`() async throws {
    let bytes = [0, 0, 0, 1] + Array("moov".utf8) + [0, 0, 0, 0, 0, 0, 0, 100] + content(200)
    #expect(try await PlayingScene(bytes).open().preambleEnd() == 100)
  }

  @Test func `what is here as a film alone is played as one without its robot`() async throws {
    let scene = try PlayingScene(Self.movie.bytes)
    let head = UInt64(Self.movie.headEnd)
    do {
      let playback = try await scene.openListed()
      let reader = try playback.reader(of: head..<head + 500)
      _ = try await reader.read(at: head, count: 500)
    }
    let key = RecordingKey(robot: "robot", name: PlayingScene.name)
    let held = try await #require(scene.cache).openCached(key, from: nil)
    #expect(await held.store.keepIndex(try Self.index(), of: held))
    let offline = Playback(holding: held)
    #expect(try await offline.playerSource() == .film)
    // With its whole beginning in the cache, it is played as it is.
    try await (try await scene.openListed()).preload(bytes: head)
    #expect(try await offline.playerSource() == .file)
  }

  private static func index() throws -> [UInt8] {
    let source = MemoryByteSource(movie.bytes)
    let served = Composition([], then: [0..<UInt64(movie.bytes.count)])
    return try SampleIndex.make(of: try MovieTables(served: source, of: served), media: source).bytes
  }

  @Test func `where its beginning cannot be had, the reason is told`() async throws {
    let scene = try PlayingScene(content(60_000))
    let playback = try await scene.openListed()
    scene.misbehave(.status(403))
    await #expect(
      throws: MediaCacheError.refused(playback.key, .notAllowed(status: 403, reason: "the test says so"))
    ) { try await playback.playerSource() }
  }
}
