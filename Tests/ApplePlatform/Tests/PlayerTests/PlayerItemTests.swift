/// A recording as a player's item.
import AVFoundation
import FootageClient
import FootageClientTesting
import FootageCore
import Testing

@MainActor @Suite(.timeLimit(.minutes(2))) struct PlayerItemTests {
  @Test func `an item is all that has to be held`() async throws {
    let scene = try PlayerScene(AssetLoaderTests.recording)
    let item = try await scene.open().playerItem()
    let asset = try #require(item.asset as? RecordingAsset)
    #expect(asset.source == .file && asset.url.scheme == "footage-recording" && asset.url.pathExtension == "mp4")
    let request = asset.resourceLoader.ask(from: 0, length: nil)
    try await eventually("its end") { request.outcome.isFinished }
    #expect(request.outcome.bytes == AssetLoaderTests.recording && request.outcome.faults.isEmpty)
  }

  @Test func `what iOS would not begin with is a film, and the asset says so`() async throws {
    let scene = try PlayerScene(SampleMovie.bytes)
    let playback = try await scene.open()
    let item = try await playback.playerItem(startingAt: .zero, largestPreamble: 100)
    let asset = try #require(item.asset as? RecordingAsset)
    #expect(asset.source == .film && asset.url.pathExtension == "m3u8" && asset.playback === playback)
    // The same holds for a cached recording without its robot.
    scene.goAway()
    let again = try await playback.playerItem(startingAt: .zero, largestPreamble: 100)
    #expect((again.asset as? RecordingAsset)?.source == .film)
  }

  @Test func `a camera's time is a film, which the item holds`() async throws {
    let start = UnixTime(seconds: 1_795_169_730)
    let robot = InMemoryRobot(SampleRecording.row(ofCamera: "front", count: 3, from: start))
    let end = UnixTime(seconds: start.seconds + 20)
    weak var playback: CameraPlayback?
    do {
      let item = try await robot.connection().playback(ofCamera: "front", from: start, to: end).playerItem()
      let asset = try #require(item.asset as? CameraAsset)
      playback = asset.playback
      #expect(asset.url.absoluteString.hasPrefix("http://127.0.0.1:") && asset.url.path.contains("/cameras/"))
      #expect(playback?.camera == "front")
    }
    #expect(playback == nil)
  }

  @Test func `a new item goes on at the same second, and asks the robot again`() async throws {
    let scene = try PlayerScene(AssetLoaderTests.recording)
    let playback = try await scene.open()
    let player = AVPlayer(playerItem: try await playback.playerItem())
    let first = try #require(player.currentItem)
    first.run(to: CMTime(value: 42_500, timescale: 1_000))
    scene.robot.failAll(.media, with: .identityNeeded)
    let lost = (first.asset as? RecordingAsset)?.resourceLoader.ask(from: 650_000, length: nil)
    try await eventually("its end") { lost?.outcome.isFinished == true }
    scene.comeBack()
    player.replaceCurrentItem(with: try await playback.playerItem(startingAt: player.currentTime()))
    #expect(player.currentItem !== first && player.currentTime().seconds == 42.5)
    let asset = try #require(player.currentItem?.asset as? RecordingAsset)
    let request = asset.resourceLoader.ask(from: 650_000, length: nil)
    try await eventually("its end") { request.outcome.isFinished }
    #expect(request.outcome.bytes == Array(AssetLoaderTests.recording[650_000...]))
  }

  @Test(arguments: [.zero, .invalid, .indefinite, .positiveInfinity, CMTime(value: -1, timescale: 1)] as [CMTime])
  func `what is no second of it is its beginning`(time: CMTime) async throws {
    let item = try await PlayerScene(AssetLoaderTests.recording).open().playerItem(startingAt: time)
    #expect(item.currentTime() == .zero)
  }

  @Test func `a state's seconds are time ranges`() {
    let state = PlaybackState(cachedSeconds: [0..<10, 12.5..<20], length: 1_000, duration: 60)
    #expect(
      state.bufferedTimeRanges == [
        CMTimeRange(start: .zero, duration: CMTime(value: 10, timescale: 1)),
        CMTimeRange(start: CMTime(value: 25, timescale: 2), end: CMTime(value: 20, timescale: 1)),
      ])
    #expect(PlaybackState(length: 1_000).bufferedTimeRanges.isEmpty)
  }
}
