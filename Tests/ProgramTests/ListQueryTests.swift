/// A query selects the same recordings, whichever part answers it.
import FootageAPI
import FootageBase
import FootageDigest
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageClientTesting
@testable import FootageCore
@testable import FootageLibrary
@testable import FootageStore

@Suite struct ListQueryTests {
  private static let names = ["front", "rear", nil, "e\u{301}", "\u{E9}"]

  /// Lengths in seconds, some of which differ by a rounded millisecond.
  private static let lengths = [nil, 0, 0.0004, 1.4994, 1.4996, 1.5, 1.5004, 60, 1e12]

  /// Returns items as robots list them. Many of them begin at the same time.
  private static func items(_ random: inout SeededGenerator) -> [RecordingItem] {
    (0..<200).map { number in
      let camera = names[Int.random(in: 0..<names.count, using: &random)]
      let state: RecordingState = [.ready, .ready, .recording, .refused("it is")][Int.random(in: 0..<4, using: &random)]
      return RecordingItem(
        name: camera.map { "\($0)/\(1_000 + number)" } ?? "\(1_000 + number)", camera: camera, state: state,
        isRecovered: false, size: 0, entityTag: nil,
        startedAt: UnixTimestamp(milliseconds: Int64.random(in: 0..<40, using: &random)), startedFrom: nil,
        isInFuture: false, duration: lengths[Int.random(in: 0..<lengths.count, using: &random)], video: nil, audio: nil)
    }
  }

  private static func query(_ random: inout SeededGenerator) -> ListQuery {
    var query = ListQuery(limit: 1_000)
    func moment() -> UnixTimestamp { UnixTimestamp(milliseconds: Int64.random(in: -5..<45, using: &random)) }
    for name in ListCondition.Name.allCases where Bool.random(using: &random) {
      switch name {
      case .robot: query.robot = "r"
      case .camera: query.camera = names[Int.random(in: 0..<names.count, using: &random)]
      case .since: query.since = moment()
      case .until: query.until = moment()
      case .state: query.state = ListCondition.StateFilter.allCases.randomElement(using: &random)
      case .lasting:
        query.lasting = ["0.000000001", "1.499", "1.4991", "1.5", "1.500000001", "999999999"].randomElement(
          using: &random
        )
        .flatMap { DecimalSeconds($0) }
      }
    }
    return query
  }

  /// Returns the expected recordings, in the expected order.
  private static func expected(_ query: ListQuery, of items: [RecordingItem]) -> [String] {
    items.filter { query.includes($0.facts(ofRobot: "r")) }.sorted {
      ListCursor.Place(startedAt: $0.startedAt, path: $0.name)
        < ListCursor.Place(startedAt: $1.startedAt, path: $1.name)
    }.map(\.name)
  }

  @Test func `the folder, the app's memory of it and a robot in memory list the same`() {
    var random = SeededGenerator(seed: TestRun.seed(of: "queries of a robot"))
    let items = Self.items(&random)
    let folder = LibrarySnapshot(items.shuffled(using: &random).map(Self.recording))
    var memory = MemoryLibrary(robot: RobotDescription())
    memory.pageLength = 1_000
    for item in items.shuffled(using: &random) { memory.add(SampleRecording(Self.listed(item), bytes: [1])) }
    let remembered = ListedRecordings(
      robot: "r", name: nil, zone: nil, listedAt: nil, recordings: items.shuffled(using: &random).map(Self.listed))
    for _ in 0..<300 {
      let query = Self.query(&random)
      let expected = Self.expected(query, of: items)
      #expect(folder.page(of: query).recordings.map(\.name) == expected, "\(query)")
      #expect(remembered.rest(query, after: nil).map(\.name) == expected, "\(query)")
      #expect(memory.page(of: query).recordings.map(\.item.name) == expected, "\(query)")
    }
  }

  @Test func `the index of a fleet lists what the query includes`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "queries of a fleet"))
    let folder = try TemporaryFolder()
    let index = try FleetIndex(path: folder.path("index.sqlite"))
    // A store contains only whole recordings, and names the robot of refused ones.
    let rows = Self.items(&random).filter { $0.state != .recording }.enumerated().map { Self.row($1, $0) }
    try index.add(rows.shuffled(using: &random))
    for _ in 0..<300 {
      var query = Self.query(&random)
      query.camera = query.camera.map { FleetName.camera($0, of: "r") }
      let expected = Self.expected(query, of: rows.map(\.item))
      let found = try index.page(of: query, now: UnixTimestamp(milliseconds: 0)).rows
      #expect(found.map(\.name) == expected, "\(query)")
      #expect(found.allSatisfy { query.includes($0.facts) })
    }
  }

  /// The part of a list that an app has received must stay valid when the list breaks off among recordings that began
  /// at the same time.
  @Test func `a list that breaks off within a moment goes on with the others of that moment`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "ends of pages"))
    // A robot sorts by paths, which it does not publish, so any order within a moment may be the robot's.
    let recordings = Self.items(&random).map(Self.listed).shuffled(using: &random).sorted {
      $0.startedAt > $1.startedAt
    }
    let remembered = ListedRecordings(robot: "r", name: nil, zone: nil, listedAt: nil, recordings: recordings)
    for length in 1..<recordings.count {
      let middle = Int.random(in: 0...length, using: &random)
      let first = ListedRecordings.End(of: Array(recordings[..<middle]), after: nil)
      let end = try #require(ListedRecordings.End(of: Array(recordings[middle..<length]), after: first))
      let rest = remembered.rest(ListQuery(), after: end)
      #expect(Set(rest.map(\.id)) == Set(recordings[length...].map(\.id)), "\(length)")
    }
  }

  // MARK: One recording, in each part's form

  private static func recording(_ item: RecordingItem) -> Recording {
    let state: Recording.State =
      switch item.state {
      case .ready: .ready
      case .refused(let reason): .refused(reason)
      case .recording, .other: .recording
      }
    return Recording(
      path: RelativePath("\(item.name).mp4"), name: item.name, camera: item.camera, state: state,
      start: StartTime(item.startedAt, .name), duration: item.duration,
      version: FileVersion(device: 1, inode: 2, size: 1, modifiedNanoseconds: 0),
      place: LibraryPaths(recordings: "/r", state: "/s"))
  }

  private static func listed(_ item: RecordingItem) -> RobotRecording {
    RobotRecording(name: item.name, startedAt: UnixTime(item.startedAt), duration: item.duration, state: item.state)
  }

  private static func row(_ item: RecordingItem, _ number: Int) -> FleetRow {
    var item = item.of(robot: "r")
    let isRefused = item.state != .ready
    if isRefused { item.camera = nil }
    return FleetRow(
      robot: "r", tag: Hexadecimal.encode(SHA256.hash([UInt8(number)]).prefix(16)), item: item,
      modifiedNanoseconds: 0, digest: isRefused ? [] : [1],
      signer: isRefused ? nil : PublicKeyPin(digest: SHA256.hash([1])))
  }
}
