/// A player that is fed from a recording with one sample per second.
import AVFoundation
import FootageClient
import FootageCore
import Testing

@MainActor @Suite(.timeLimit(.minutes(2))) struct KeepPlayingTests {
  /// 60 seconds of 40 kB each, after their tables.
  private static let movie = SecondsMovie(seconds: 60, bytesPerSecond: 40_000)

  @Test func `it starts with what is enough, stops with nothing and goes on when there is more`() async throws {
    let scene = try PlayerScene(Self.movie.bytes, patience: .seconds(60))
    let playback = try await scene.open()
    try await playback.preload(bytes: UInt64(Self.movie.headEnd) + 420_000)
    scene.goAway()
    let item = try await playback.playerItem()
    let player = AVPlayer(playerItem: item)
    let request = (item.asset as? RecordingAsset)?.resourceLoader.ask(from: 0, length: nil)
    let playing = Task { await playback.keepPlaying(in: player) }
    try await eventually("its start") { player.calls == [.playImmediately(1)] }
    #expect(!player.automaticallyWaitsToMinimizeStalling)
    // Ten seconds are in the cache.
    player.rate = 2
    item.run(to: CMTime(value: 99, timescale: 10))
    try await eventually("its stop") { player.calls == [.playImmediately(1), .pause] }
    scene.comeBack()
    try await eventually("its going on") { player.calls == [.playImmediately(1), .pause, .playImmediately(2)] }
    playing.cancel()
    await playing.value
    try await eventually("all of it") { request?.outcome.isFinished == true }
    #expect(request?.outcome.faults == [])
  }

  @Test func `a player that stands is given no more than it reads ahead, and the rest when it has come there`()
    async throws
  {
    let scene = try PlayerScene(Self.movie.bytes)
    let playback = try await scene.open()
    playback.readAhead = .seconds(10)
    try await playback.preload(seconds: 1)
    let asset = try RecordingAsset(playback, as: .file, FeedWindow(freeBytes: 0))
    let item = AVPlayerItem(asset: asset)
    let player = AVPlayer(playerItem: item)
    let playing = Task { await playback.keepPlaying(in: player) }
    try await eventually("its start") { !player.calls.isEmpty }
    let request = asset.resourceLoader.ask(from: 0, length: nil)
    try await eventually("its read-ahead") { request.outcome.bytes.count >= 400_000 }
    // The limit allows for the bytes that were on their way, and for ten times as many that may arrive slowly
    // meanwhile. The whole recording is 2.4 MB.
    try await Task.sleep(for: .milliseconds(300))
    #expect(request.outcome.bytes.count < 1_500_000 && !request.outcome.isFinished)
    item.run(to: CMTime(value: 55, timescale: 1))
    try await eventually("all of it") { request.outcome.isFinished }
    #expect(request.outcome.bytes == Self.movie.bytes && request.outcome.faults.isEmpty)
    playing.cancel()
    await playing.value
  }

  @Test func `it ends with its item`() async throws {
    let scene = try PlayerScene(Self.movie.bytes)
    let playback = try await scene.open()
    let player = AVPlayer(playerItem: try await playback.playerItem())
    let playing = Task { await playback.keepPlaying(in: player) }
    try await eventually("its beginning") { !player.automaticallyWaitsToMinimizeStalling }
    player.replaceCurrentItem(with: nil)
    await playing.value
  }

  @Test func `a film is started, and waits by itself`() async throws {
    let scene = try PlayerScene(Self.movie.bytes)
    let playback = try await scene.open()
    let asset = try RecordingAsset(playback, as: .film)
    #expect(asset.url.absoluteString.hasPrefix("http://127.0.0.1:"))
    #expect(asset.url.absoluteString.hasSuffix("/recordings/front/a%20b.m3u8"))
    let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
    await playback.keepPlaying(in: player)
    #expect(player.calls == [.play] && player.automaticallyWaitsToMinimizeStalling)
  }

  @Test func `an item of somebody else's is left alone`() async throws {
    let playback = try await PlayerScene(Self.movie.bytes).open()
    let player = AVPlayer()
    await playback.keepPlaying(in: player)
    #expect(player.calls.isEmpty && player.automaticallyWaitsToMinimizeStalling)
  }
}
