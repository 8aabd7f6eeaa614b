/// The rate at which a player is fed that accepts everything.
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(2))) struct FeedWindowTests {
  @Test(
    arguments: [
      // The bytes that each request gets at once.
      (1_000, 1_000_000, .zero),
      // The bytes of the player's read-ahead.
      (1_001, 500_000, .zero),
      // The rest, twice as fast as it is played.
      (1_001, 500_001, .milliseconds(500)),
    ] as [(UInt64, UInt64, Duration)])
  func `what is behind the window comes twice as fast as it plays`(given: UInt64, offset: UInt64, pause: Duration) {
    var window = FeedWindow(freeBytes: 1_000)
    window.end = 500_000
    window.bytesPerSecond = 100_000
    #expect(window.pause(given: given, at: offset, count: 100_000) == pause)
  }

  @Test func `where nobody says where a player stands, it gets all at once`() {
    var window = FeedWindow(freeBytes: 0)
    #expect(window.pause(given: 9_000_000, at: 9_000_000, count: 100) == .zero)
    window.end = 1
    #expect(window.pause(given: 9_000_000, at: 9_000_000, count: 100) == .zero)
  }

  /// 40 seconds of 100 bytes each, after their tables.
  private static let movie = TestRecording.make(seconds: 40)

  @Test(
    arguments: [
      (.seconds(10), 5, 1_500), (.seconds(10), -3, 1_000), (.seconds(10), .nan, 1_000), (.seconds(100), 5, 4_000),
      (.bytes(700), 5, 1_200),
    ] as [(ReadAhead, Double, UInt64)])
  func `the window ends where the player reads ahead to`(readAhead: ReadAhead, position: Double, end: UInt64)
    async throws
  {
    let playback = try await PlayingScene(Self.movie.bytes).open()
    playback.readAhead = readAhead
    #expect(playback.feedWindow(FeedWindow(), at: position) == FeedWindow())
    try await playback.preload(seconds: 1)
    let window = playback.feedWindow(FeedWindow(), at: position)
    #expect(window.end == UInt64(Self.movie.headEnd + 8) + end)
    #expect(window.bytesPerSecond == Double(Self.movie.bytes.count) / 40)
    playback.readAhead = .all
    #expect(playback.feedWindow(window, at: position).end == .max)
  }
}
