/// The documentation's transport and its player's request, in use.
import FootageClient
import FootageClientTesting
import LinuxTestSupport
import Testing

@testable import DocumentationExamples

@Suite(.timeLimit(.minutes(1))) struct SeamTests {
  static let recording = content(300_000)
  static let memory = InMemoryRobot([
    SampleRecording(RobotRecording(name: "front/one", startedAt: UnixTime(seconds: 1_795_169_730)), bytes: recording)
  ])

  private func robot() throws -> RobotConnection { Self.memory.connection() }

  @Test func `a transport of one's own lists, reads, downloads and plays`() async throws {
    let transport = NotingTransport(Self.memory)
    let robot = connect(to: try #require(RobotAddress("robot.test")), by: transport)
    var names: [String] = []
    for try await recording in robot.recordings() { names.append(recording.name) }
    #expect(names == ["front/one"])
    var bytes: [UInt8] = []
    for try await chunk in robot.read("front/one", range: 100_000..<250_000) { bytes += chunk }
    #expect(bytes == Array(Self.recording[100_000..<250_000]))
    let folder = try TemporaryFolder()
    let path = folder.path("one.mp4")
    #expect(try await robot.download("front/one", to: path).length == 300_000)
    #expect(try await curl("file://\(path)").body == Self.recording)
    let error = await #expect(throws: RobotError.self) { try await robot.recording("two") }
    #expect(error.map(remedy) == .loadListAgain)
    let playback = try await robot.playback(of: "front/one")
    let fetched = try await curl(playback.playerLink(), "--range", "200000-")
    #expect(fetched.status == 206 && fetched.body == Array(Self.recording[200_000...]))
    #expect(transport.targets.first?.hasPrefix("/recordings?") == true && transport.targets.count > 4)
  }

  @Test func `previews and tests do what the article says`() async throws {
    let folder = try TemporaryFolder()
    let robot = previewRobot()
    let (failure, names) = await namesBeforeAndAfter(robot)
    #expect(failure?.canPass == true && names.count == 12 && names == robot.names)
    #expect(previewList().map(\.camera) == ["front", "rear"] && previewState().cachedSeconds == [0..<20])
    let starts = try await download(names[0], to: folder.path("x.mp4"), from: robot)
    #expect(starts == [0, 2_000, 2_000, 2_100])
    #expect(try await play(names[1], of: robot, cachedIn: folder.path("cache")) == .noRoom)
  }

  @Test func `states end when their playback has gone`() async throws {
    let states: AsyncStream<PlaybackState>
    do {
      let playback = try await robot().playback(of: "front/one")
      states = playback.states()
      #expect(try await curl(playback.playerLink()).body == Self.recording)
    }
    var last: PlaybackState?
    for await state in states { last = state }
    #expect(last?.length == 300_000)
  }

  @Test(arguments: [(0..<2, 0..<2), (150_000..<UInt64.max, 150_000..<300_000)] as [(Range<UInt64>, Range<Int>)])
  func `a player's request is answered`(asked: Range<UInt64>, bytes: Range<Int>) async throws {
    let playback = try await robot().playback(of: "front/one")
    let request = CollectingRequest(asked)
    await playback.serve(request)
    let result = request.result
    #expect(result.information?.contentLength == 300_000)
    #expect(result.bytes == Array(Self.recording[bytes]))
    #expect(result.isFinished && result.error == nil)
  }
}
