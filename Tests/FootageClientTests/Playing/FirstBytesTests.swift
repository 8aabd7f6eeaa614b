/// The first request for an unknown recording: the answer with the first bytes also gives their version.
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct FirstBytesTests {
  private static let recording = content(100_000, seed: 3)

  @Test func `what is new is asked for once, and its first bytes are played out of that answer`() async throws {
    let scene = try PlayingScene(Self.recording) { $0.firstPieceBytes = 16_384 }
    let playback = try await scene.open()
    #expect(scene.robot.byteRequests.map(\.range) == [0..<16_384])
    #expect(playback.version.length == 100_000)
    #expect(try await playback.readAll(step: 7_000) == Self.recording)
    // No byte was requested twice.
    #expect(scene.robot.byteRequests.compactMap(\.range).reduce(0) { $0 + $1.count } == 100_000)
  }

  @Test func `a reader that begins elsewhere leaves the first bytes alone`() async throws {
    let scene = try PlayingScene(Self.recording) { $0.firstPieceBytes = 16_384 }
    let playback = try await scene.open()
    #expect(try await playback.readAll(50_000..<60_000, step: 3_000) == Array(Self.recording[50_000..<60_000]))
    #expect(try await playback.readAll(step: 7_000) == Self.recording)
  }

  @Test func `an answer that breaks off is taken up, and one with too much is refused`() async throws {
    let cut = try PlayingScene(Self.recording) { $0.firstPieceBytes = 16_384 }
    cut.misbehave(.cut(5_000))
    #expect(try await cut.open().readAll(step: 7_000) == Self.recording)
    // An answer with the whole instead of a part contains them, too.
    let whole = try PlayingScene(Self.recording) { $0.firstPieceBytes = 16_384 }
    whole.misbehave(.ignoresRange)
    #expect(try await whole.open().readAll(step: 7_000) == Self.recording)
  }

  @Test func `a recording that is shorter than the first request, or empty, opens`() async throws {
    let short = try PlayingScene(Array(Self.recording.prefix(100)))
    #expect(try await short.open().readAll() == Array(Self.recording.prefix(100)))
    #expect(short.robot.byteRequests.count == 1)
  }

  @Test func `another version than the first bytes are of never meets them`() async throws {
    let scene = try PlayingScene(Self.recording) { $0.firstPieceBytes = 16_384 }
    let playback = try await scene.open()
    scene.replace(content(100_000, seed: 4))
    let error = await #expect(throws: MediaCacheError.self) { try await playback.readAll(step: 7_000) }
    guard case .replaced = error else { throw TestProblem("\(String(describing: error))") }
  }
}
