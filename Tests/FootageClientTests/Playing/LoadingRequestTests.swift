/// Requests of a player, in the form of AVFoundation's resource loader.
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct LoadingRequestTests {
  static let recording = content(700_000)

  /// A request that behaves like AVFoundation's objects, as far as they are used.
  final class Request: LoadingRequest, ContentInformationSink, LoadingDataSink {
    struct State {
      var information: ContentInformation?
      var bytes: [UInt8] = []
      var endings: [MediaCacheError?] = []
      /// The number of chunks that it accepts.
      var appetite = Int.max
    }

    let range: Range<UInt64>
    let wantsInformation: Bool
    let wantsData: Bool
    let outlastsFailure: Bool
    let state = Mutex(State())

    init(
      _ range: Range<UInt64> = 0..<0, wantsInformation: Bool = false, wantsData: Bool = true,
      outlastsFailure: Bool = false
    ) {
      self.range = range
      self.wantsInformation = wantsInformation
      self.wantsData = wantsData
      self.outlastsFailure = outlastsFailure
    }

    var contentInformation: (any ContentInformationSink)? { wantsInformation ? self : nil }
    var data: (any LoadingDataSink)? { wantsData ? self : nil }
    func receive(_ information: ContentInformation) { state.withLock { $0.information = information } }
    func finishLoading() { state.withLock { $0.endings.append(nil) } }
    func finishLoading(with error: MediaCacheError) { state.withLock { $0.endings.append(error) } }

    func receive(_ bytes: [UInt8]) async {
      let isFull = state.withLock { state in
        state.bytes += bytes
        state.appetite -= 1
        return state.appetite == 0
      }
      // A player that has enough accepts nothing more until it is canceled.
      if isFull { try? await Task.sleep(for: .seconds(3600)) }
    }
  }

  @Test func `the first request learns what the recording is, and gets no byte that it did not ask for`() async throws {
    let playback = try await PlayingScene(Self.recording).open()
    let request = Request(wantsInformation: true, wantsData: false)
    await playback.serve(request)
    request.state.withLock {
      #expect(
        $0.information
          == ContentInformation(
            mediaType: "video/mp4", uniformTypeIdentifier: "public.mpeg-4", contentLength: 700_000,
            isByteRangeAccessSupported: true))
      #expect($0.bytes.isEmpty && $0.endings == [nil])
    }
  }

  @Test(
    arguments: [
      (0..<2, 0..<2), (0..<700_000, 0..<700_000), (600_000..<UInt64.max, 600_000..<700_000), (5..<5, 0..<0),
      (300_000..<300_001, 300_000..<300_001), (700_000..<UInt64.max, 0..<0),
    ] as [(Range<UInt64>, Range<Int>)])
  func `a range comes in order and whole`(asked: Range<UInt64>, bytes: Range<Int>) async throws {
    let playback = try await PlayingScene(Self.recording).open()
    let request = Request(asked)
    await playback.serve(request)
    request.state.withLock {
      #expect($0.bytes == Array(Self.recording[bytes]))
      #expect($0.endings == [nil])
    }
  }

  @Test func `what will not come is told once, behind what came`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    scene.misbehave(.cut(300_000), .removed)
    let request = Request(0..<UInt64.max)
    await playback.serve(request)
    request.state.withLock { state in
      #expect(state.bytes == Array(Self.recording.prefix(state.bytes.count)))
      guard state.endings.count == 1, case .replaced = state.endings[0] else {
        Issue.record("\(state.endings)")
        return
      }
    }
  }

  @Test func `a request that its player cancels ends without a word`() async throws {
    let playback = try await PlayingScene(Self.recording).open()
    let request = Request(0..<UInt64.max)
    request.state.withLock { $0.appetite = 1 }
    let task = Task { await playback.serve(request) }
    while request.state.withLock({ $0.bytes.isEmpty }) { await Task.yield() }
    task.cancel()
    await task.value
    request.state.withLock { #expect($0.endings.isEmpty) }
  }

  /// Returns a scene in which an absent robot is given up soon.
  private static func scene() throws -> PlayingScene {
    try PlayingScene(recording) { limits in
      limits.giveUp = .milliseconds(50)
      limits.failurePause = .milliseconds(5)
    }
  }

  @Test func `one that outlasts failures stays open, and goes on when the robot is back`() async throws {
    let scene = try Self.scene()
    let playback = try await scene.open()
    scene.misbehave(.cut(300_000))
    scene.robot.state.withLock { $0.faults += Array(repeating: .unreachable, count: 100_000) }
    let request = Request(0..<UInt64.max, outlastsFailure: true)
    let task = Task { await playback.serve(request) }
    try await PlaybackTests.wait(for: playback) { $0.activity == .failed(.unreachable("connection refused")) }
    request.state.withLock { #expect($0.endings.isEmpty) }
    scene.robot.state.withLock { $0.faults = [] }
    await task.value
    request.state.withLock {
      #expect($0.bytes == Self.recording)
      #expect($0.endings == [nil])
    }
  }

  @Test func `one that outlasts failures waits for its player where no more will come, and the reason is told`()
    async throws
  {
    let scene = try Self.scene()
    let playback = try await scene.open()
    scene.misbehave(.cut(300_000), .removed)
    let request = Request(0..<UInt64.max, outlastsFailure: true)
    let task = Task { await playback.serve(request) }
    try await PlaybackTests.wait(for: playback) { state in
      if case .failed(.notFound) = state.activity { true } else { false }
    }
    let asked = scene.robot.requests.count
    // It has checked several times by then.
    try await Task.sleep(for: .milliseconds(50))
    #expect(scene.robot.requests.count == asked)
    task.cancel()
    await task.value
    request.state.withLock { #expect($0.endings.isEmpty && $0.bytes.count < 700_000) }
  }

  @Test func `bytes behind the end are an error, and none once a player has got some`() async throws {
    let playback = try await Self.scene().open()
    let range: Range<UInt64> = 700_001..<700_002
    let first = Request(range)
    await playback.serve(first)
    first.state.withLock { #expect($0.endings == [.outside(playback.key, range, length: 700_000)]) }
    let later = Request(range, outlastsFailure: true)
    let task = Task { await playback.serve(later) }
    try await Task.sleep(for: .milliseconds(50))
    later.state.withLock { #expect($0.endings.isEmpty) }
    task.cancel()
    await task.value
    later.state.withLock { #expect($0.endings.isEmpty && $0.bytes.isEmpty) }
  }
}
