/// A recording, as AVFoundation requests it.
import AVFoundation
import FootageClient
import FootageClientTesting
import FootageCore
import Testing

@Suite(.timeLimit(.minutes(2))) struct AssetLoaderTests {
  static let recording = numbered(700_000)

  /// Waits for the end of a request, and checks that its delegate has broken no rule.
  private func finish(
    _ request: AVAssetResourceLoadingRequest, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [UInt8] {
    try await eventually("the end of a request", sourceLocation: sourceLocation) { request.outcome.isFinished }
    #expect(request.outcome.faults.isEmpty, sourceLocation: sourceLocation)
    #expect(request.outcome.error == nil, sourceLocation: sourceLocation)
    return request.outcome.bytes
  }

  // MARK: Requests of a player

  @Test func `the first two bytes come with what the recording is`() async throws {
    let asset = try await PlayerScene(Self.recording).asset()
    let request = asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true)
    #expect(try await finish(request) == Array(Self.recording[..<2]))
    #expect(request.outcome.contentType == "public.mpeg-4")
    #expect(request.outcome.contentLength == 700_000)
    #expect(request.outcome.isByteRangeAccessSupported && !request.outcome.isEntireLengthAvailableOnDemand)
  }

  @Test(
    arguments: [
      (nil, "public.mpeg-4"), ([], "public.mpeg-4"), (["com.apple.quicktime-movie", "public.mpeg-4"], "public.mpeg-4"),
      (["com.apple.m4a-audio"], nil),
    ] as [([String]?, String?)])
  func `a content type that the player's list lacks is not given`(allowed: [String]?, type: String?) async throws {
    let asset = try await PlayerScene(Self.recording).asset()
    let request = asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true, allowedContentTypes: allowed)
    #expect(try await finish(request) == Array(Self.recording[..<2]))
    #expect(request.outcome.contentType == type && request.outcome.contentLength == 700_000)
  }

  @Test func `what is all here needs no waiting, and comes without its robot`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    try await asset.playback.download()
    scene.goAway()
    let request = asset.resourceLoader.ask(from: 0, length: nil, wantsInformation: true)
    #expect(try await finish(request) == Self.recording)
    #expect(request.outcome.isEntireLengthAvailableOnDemand)
  }

  @Test func `then all of it comes, byte for byte`() async throws {
    let asset = try await PlayerScene(Self.recording).asset()
    _ = try await finish(asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true))
    #expect(try await finish(asset.resourceLoader.ask(from: 0, length: nil)) == Self.recording)
  }

  @Test(arguments: [(0, 700_000), (2, 699_998), (300_000, 65_536), (699_999, 1), (699_999, 500), (700_000, 10)])
  func `a length is exact`(offset: Int, length: Int) async throws {
    let asset = try await PlayerScene(Self.recording).asset()
    let request = asset.resourceLoader.ask(from: Int64(offset), length: length)
    // A player that does not know the length yet asks for more bytes than there are.
    try await eventually("its end") { request.outcome.isFinished }
    #expect(request.outcome.bytes == Array(Self.recording[offset..<min(700_000, offset + length)]))
    #expect(request.outcome.faults.allSatisfy { $0.hasPrefix("finished with") && offset + length > 700_000 })
  }

  @Test func `several requests are answered at once`() async throws {
    let asset = try await PlayerScene(Self.recording).asset()
    let requests = (0..<8).map { asset.resourceLoader.ask(from: Int64($0) * 80_000, length: 80_000) }
    for (index, request) in requests.enumerated() {
      #expect(try await finish(request) == Array(Self.recording[index * 80_000..<(index + 1) * 80_000]))
    }
  }

  @Test func `a seek cancels and begins elsewhere`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    scene.goAway(after: 100_000)
    let first = asset.resourceLoader.ask(from: 0, length: nil)
    try await eventually("the first bytes") { first.outcome.bytes.count == 100_000 }
    asset.resourceLoader.cancel(first)
    scene.comeBack()
    let second = asset.resourceLoader.ask(from: 500_000, length: nil)
    #expect(try await finish(second) == Array(Self.recording[500_000...]))
    #expect(!first.outcome.isFinished && first.outcome.faults.isEmpty)
    #expect(first.outcome.bytes == Array(Self.recording[..<100_000]))
  }

  @Test func `whatever is cancelled, and whenever, nothing is said to it any more`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    var requests: [AVAssetResourceLoadingRequest] = []
    for round in 0..<200 {
      let request = asset.resourceLoader.ask(
        from: Int64(round) * 3_000, length: round % 3 == 0 ? nil : 10_000, wantsInformation: round % 2 == 0)
      if round % 4 == 0 { await Task.yield() }
      asset.resourceLoader.cancel(request)
      requests.append(request)
    }
    #expect(try await finish(asset.resourceLoader.ask(from: 0, length: nil)) == Self.recording)
    for request in requests {
      try await eventually("its end") { request.isCancelled || request.isFinished }
      #expect(request.outcome.faults.isEmpty)
    }
  }

  @Test func `an asset that goes ends what it asked for`() async throws {
    let scene = try PlayerScene(Self.recording)
    scene.goAway(after: 100_000)
    weak var playback: Playback?
    do {
      let asset = try await scene.asset()
      playback = asset.playback
      let request = asset.resourceLoader.ask(from: 0, length: nil)
      try await eventually("the first bytes") { request.outcome.bytes.count == 100_000 }
    }
    try await eventually("the end of its playback") { playback == nil }
  }

  // MARK: Failures of the robot

  @Test func `a robot that is away before the first byte is an error`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    scene.goAway()
    let request = asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true)
    try await eventually("its end") { request.outcome.isFinished }
    #expect(
      request.outcome.error as? MediaCacheError
        == .unreachable(asset.playback.key, .away))
    #expect(request.outcome.faults.isEmpty && request.outcome.contentLength == 700_000)
  }

  @Test func `one that goes away later leaves the request open, and the bytes go on when it is back`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    scene.goAway(after: 200_000)
    let request = asset.resourceLoader.ask(from: 0, length: nil)
    try await eventually("the reason") {
      asset.playback.state.activity == .failed(.away)
    }
    #expect(!request.outcome.isFinished && request.outcome.bytes.count == 200_000)
    scene.comeBack()
    #expect(try await finish(request) == Self.recording)
  }

  @Test func `a seek while the robot is away waits as well`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    _ = try await finish(asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true))
    scene.goAway()
    let request = asset.resourceLoader.ask(from: 650_000, length: nil)
    try await eventually("the reason") {
      asset.playback.state.activity == .failed(.away)
    }
    #expect(!request.outcome.isFinished)
    scene.comeBack()
    #expect(try await finish(request) == Array(Self.recording[650_000...]))
  }

  @Test func `a recording that is replaced is said to be, and no byte of another version is given`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    _ = try await finish(asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true))
    scene.robot.add(PlayerScene.recording(numbered(700_000, seed: 7)))
    let request = asset.resourceLoader.ask(from: 650_000, length: nil)
    try await eventually("the reason") { asset.playback.state.activity == .failed(.replaced(name: PlayerScene.name)) }
    #expect(!request.outcome.isFinished && request.outcome.bytes.isEmpty && request.outcome.faults.isEmpty)
    // A new asset plays the other version.
    let again = try await scene.asset()
    #expect(try await finish(again.resourceLoader.ask(from: 0, length: nil)) == numbered(700_000, seed: 7))
  }

  @Test func `an identity that is refused is told before the first byte, and in the state after it`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    scene.robot.failAll(.media, with: .identityNeeded)
    let first = asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true)
    try await eventually("its end") { first.outcome.isFinished }
    #expect(first.outcome.error as? MediaCacheError == .refused(asset.playback.key, .identity(.needed)))
    scene.comeBack()
    _ = try await finish(asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true))
    scene.robot.failAll(.media, with: .identityNeeded)
    let second = asset.resourceLoader.ask(from: 650_000, length: nil)
    try await eventually("the reason") { asset.playback.state.activity == .failed(.identity(.needed)) }
    #expect(!second.outcome.isFinished && second.outcome.faults.isEmpty)
    asset.resourceLoader.cancel(second)
  }

  @Test func `somebody else in the robot's place gets nothing, and is told`() async throws {
    let scene = try PlayerScene(Self.recording)
    let asset = try await scene.asset()
    _ = try await finish(asset.resourceLoader.ask(from: 0, length: 2, wantsInformation: true))
    scene.robot.failAll(.media, with: .otherKey)
    let request = asset.resourceLoader.ask(from: 650_000, length: nil)
    try await eventually("the alarm") {
      if case .failed(.trust) = asset.playback.state.activity { true } else { false }
    }
    #expect(!request.outcome.isFinished && request.outcome.bytes.isEmpty)
  }
}
