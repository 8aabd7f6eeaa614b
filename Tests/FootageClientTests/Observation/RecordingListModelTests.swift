/// The state of a list that a screen gets through Observation.
import FootageClient
import FootageClientTesting
import Observation
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct RecordingListModelTests {
  private static let start = UnixTime(seconds: 1_795_169_730)

  private func robot(_ count: Int = 7) -> InMemoryRobot {
    InMemoryRobot(SampleRecording.row(ofCamera: "front", count: count, from: Self.start))
  }

  @Test func `a screen is told of each change`() async throws {
    let robot = robot()
    let list = RecordingListModel(of: robot.connection(), pageLength: 3)
    let changes = EventLog<String>()
    withObservationTracking {
      _ = list.phase
    } onChange: {
      changes.append("phase")
    }
    withObservationTracking {
      _ = list.recordings
    } onChange: {
      changes.append("recordings")
    }
    #expect(list.phase == .idle && list.recordings.isEmpty)
    await list.load()
    #expect(Set(changes.all) == ["phase", "recordings"])
    #expect(list.phase == .loaded && list.recordings.map(\.name) == Array(robot.names.prefix(3)) && list.hasMore)
  }

  @Test func `it shows what lasts long enough`() async throws {
    let robot = robot(3)
    let list = RecordingListModel(of: robot.connection(), lasting: 100)
    await list.load()
    #expect(list.phase == .loaded && list.recordings.isEmpty)
    list.lasting = 1
    await list.refresh()
    #expect(list.recordings.map(\.name) == robot.names)
  }

  @Test func `it is paged by the rows that appear`() async throws {
    let robot = robot()
    let list = RecordingListModel(of: robot.connection(), pageLength: 3)
    await list.load()
    await list.load()
    await list.loadMore(showing: list.recordings[0])
    #expect(list.recordings.count == 3)
    await list.loadMore(showing: list.recordings[2])
    await list.loadMore()
    #expect(list.recordings.map(\.name) == robot.names && !list.hasMore)
    await list.loadMore()
    #expect(list.phase == .loaded)
  }

  @Test func `a failure is a value, what is shown stays, and a retry asks for what failed`() async throws {
    let robot = robot()
    let list = RecordingListModel(of: robot.connection(), pageLength: 3)
    robot.isReachable = false
    await list.load()
    #expect(list.error?.canPass == true && list.recordings.isEmpty)
    robot.isReachable = true
    await list.retry()
    #expect(list.phase == .loaded && list.recordings.count == 3)
    // One page of the robot's holds more than one page of the list's.
    robot.pageLength = 3
    await list.refresh()
    robot.fail(.documents, with: .notAllowed)
    await list.loadMore()
    guard case .notAllowed? = list.error else {
      Issue.record("\(list.phase)")
      return
    }
    #expect(list.recordings.count == 3)
    await list.retry()
    #expect(list.recordings.count == 6 && list.error == nil)
  }

  @Test func `while the robot is away it shows what was listed last, and says so`() async throws {
    let folder = try TemporaryFolder()
    let robot = robot()
    let cache = try MediaCache(at: folder.path("cache"), quota: .megabytes(1))
    let list = RecordingListModel(of: robot.connection(cache: cache))
    await list.load()
    #expect(!list.isOffline && list.listedAt == nil && !list.hasMore)
    robot.isReachable = false
    await list.refresh()
    #expect(list.isOffline && list.phase == .loaded && list.recordings.map(\.name) == robot.names)
    #expect(list.listedAt != nil)
    robot.isReachable = true
    robot.remove(robot.names[0])
    await list.refresh()
    #expect(!list.isOffline && list.recordings.map(\.name) == robot.names)
  }

  @Test func `what is cancelled leaves all as it was`() async throws {
    let robot = robot()
    let list = RecordingListModel(of: robot.connection())
    await list.load()
    robot.fail(.documents, with: .silent, .silent)
    let refreshing = Task { await list.refresh() }
    try await eventually("it to be refreshing") { () async -> Bool in list.phase == .refreshing }
    refreshing.cancel()
    await refreshing.value
    #expect(list.phase == .loaded && list.recordings.count == 7)
  }

  @Test func `a page that a row has asked for comes though the row has gone`() async throws {
    let clock = TestClock()
    let robot = InMemoryRobot(
      SampleRecording.row(ofCamera: "front", count: 7, from: Self.start), clock: clock)
    let list = RecordingListModel(of: robot.connection(), pageLength: 3)
    robot.pageLength = 3
    await list.load()
    robot.fail(.documents, with: .delayed(.milliseconds(100)))
    let row = Task { await list.loadMore(showing: list.recordings[2]) }
    try await eventually("it to load more") { () async -> Bool in list.phase == .loadingMore }
    row.cancel()
    try await eventually("the page") { () async -> Bool in
      clock.advance(by: .milliseconds(10))
      return list.phase != .loadingMore
    }
    #expect(list.phase == .loaded && list.recordings.count == 6)
    await row.value
  }

  @Test func `a screen that comes back while its former call winds up loads all the same`() async throws {
    let robot = robot()
    let list = RecordingListModel(of: robot.connection())
    robot.fail(.documents, with: .silent)
    let former = Task { await list.load() }
    try await eventually("it to be loading") { () async -> Bool in list.phase == .loading }
    former.cancel()
    await list.load()
    #expect(list.phase == .loaded && list.recordings.count == 7)
    await former.value
    #expect(list.phase == .loaded && list.recordings.count == 7)
  }
}
