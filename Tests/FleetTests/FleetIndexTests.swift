import Digest
import FootageAPI
import Formats
import Foundation
import RecordingLibrary
import SQLite
import StoredRecordings
import TestSupport
import Testing
import Trust

@testable import Fleet

@Suite struct FleetIndexTests {
  private let folder: TemporaryFolder
  private let index: FleetIndex
  private static let pin = PublicKeyPin(digest: SHA256.hash([1]))
  private static let now = UnixTimestamp(milliseconds: 0)

  init() throws {
    folder = try TemporaryFolder()
    index = try FleetIndex(path: folder.path("index.sqlite"))
  }

  /// - Parameter camera: of the robot; nil where it has none.
  static func row(
    _ robot: String, _ name: String, camera: String?, start: Int64, milliseconds: Int64 = 1_000, number: Int,
    isRefused: Bool = false
  ) -> FleetRow {
    let tag = FleetScene.tag(number)
    var item = RecordingItem(
      name: name, camera: camera, state: isRefused ? .refused("it is") : .ready, isRecovered: number % 3 == 0,
      size: UInt64(number), entityTag: "\"\(tag)\(tag)\"", tag: FilmKey(tag),
      startedAt: UnixTimestamp(milliseconds: start), startedFrom: "name", isInFuture: false,
      duration: Double(milliseconds) / 1_000,
      video: RecordingItem.Video(
        codec: "avc1.64001F", width: 64, height: 48, frameRate: 30, rotation: number % 2 == 0 ? 90 : nil),
      audio: number % 2 == 0 ? RecordingItem.Audio(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2) : nil,
      isKept: number % 5 == 0, shift: 1, keyInterval: 2, place: .store
    ).of(robot: robot)
    if isRefused { (item.camera, item.entityTag, item.tag) = (nil, nil, nil) }
    return FleetRow(
      robot: robot, tag: tag, item: item, modifiedNanoseconds: Int64(number), digest: isRefused ? [] : [1, 2, 3],
      signer: isRefused ? nil : pin)
  }

  @Test func `a row comes back as it was put in`() throws {
    var rows: [FleetRow] = []
    for number in 0..<12 {
      rows.append(
        Self.row("r", "a\(number)", camera: number % 4 == 0 ? nil : "c", start: Int64(-number), number: number))
    }
    try index.add(rows)
    for row in rows {
      #expect(try index.row(named: row.name, now: Self.now) == row)
      #expect(try index.rows(tagged: VersionTag(text: row.tag), now: Self.now) == [row])
    }
    #expect(try index.row(named: "r/a", now: Self.now) == nil)
    #expect(index.generation == 1)
    try index.add(rows)
    #expect(index.generation == 1)
  }

  @Test func `what begins ahead of the clock is marked by the clock of now`() throws {
    try index.add([Self.row("r", "a", camera: "c", start: 10_000_000, number: 1)])
    #expect(try index.row(named: "r/a", now: UnixTimestamp(milliseconds: 0))?.item.isInFuture == true)
    #expect(try index.row(named: "r/a", now: UnixTimestamp(milliseconds: 10_000_000))?.item.isInFuture == false)
  }

  /// Recordings of some robots, with beginnings that are often the same, as a sorted list has them.
  private func fill(_ random: inout SeededGenerator, count: Int) throws -> [FleetRow] {
    var rows: [FleetRow] = []
    for number in 0..<count {
      let robot = "robot\(Int.random(in: 0..<25, using: &random))"
      let camera = ["front", "rear", nil, "e\u{301}", "\u{E9}"][Int.random(in: 0..<5, using: &random)]
      rows.append(
        Self.row(
          robot, "\(camera ?? "none")/\(number)", camera: camera, start: Int64.random(in: -20..<20, using: &random),
          milliseconds: Int64.random(in: 0..<30, using: &random), number: number,
          isRefused: Int.random(in: 0..<10, using: &random) == 0))
    }
    try index.add(rows.shuffled(using: &random))
    return rows.sorted { one, other in
      one.item.startedAt == other.item.startedAt
        ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8) : one.item.startedAt > other.item.startedAt
    }
  }

  private static func moment(_ random: inout SeededGenerator) -> UnixTimestamp {
    UnixTimestamp(milliseconds: Int64.random(in: -20..<20, using: &random))
  }

  @Test func `pages that are followed to the end are the sorted list, for every question`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "pages of the fleet"))
    let rows = try fill(&random, count: 600)
    for _ in 0..<150 {
      var query = ListQuery(limit: Int.random(in: 1..<60, using: &random))
      if Bool.random(using: &random) { query.robot = "robot\(Int.random(in: 0..<26, using: &random))" }
      if Int.random(in: 0..<3, using: &random) == 0 {
        query.camera = "robot\(Int.random(in: 0..<25, using: &random)):front"
      }
      if Bool.random(using: &random) { query.since = Self.moment(&random) }
      if Bool.random(using: &random) { query.until = Self.moment(&random) }
      query.state = [nil, nil, .ready, .refused, .recording][Int.random(in: 0..<5, using: &random)]
      let cameras: CameraSelection =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: CameraSelection((0..<3).map { "robot\($0):front" })
        case 1: CameraSelection((0..<24).flatMap { ["robot\($0):front", "robot\($0):e\u{301}"] })
        default: .all
        }
      let expected = rows.filter { row in
        query.robot.map { $0 == row.robot } ?? true && query.camera.map { $0 == row.item.camera } ?? true
          && query.since.map { row.item.startedAt >= $0 } ?? true
          && query.until.map { row.item.startedAt < $0 } ?? true
          && query.state.map { ($0 == .refused) == row.isRefused && $0 != .recording } ?? true
          && (row.item.camera.map { cameras.contains(camera: $0) } ?? cameras.isEverything)
      }
      var found: [FleetRow] = []
      while true {
        let page = try index.page(of: query, from: cameras, now: Self.now)
        #expect(page.rows.count <= query.limit)
        found += page.rows
        guard let next = page.next else { break }
        // As a client hands it back.
        query.after = ListCursor(text: next.text)
      }
      #expect(found.map(\.name) == expected.map(\.name), "\(query)")
    }
  }

  @Test func `cameras are what their recordings come to, whatever comes and goes`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "cameras of the fleet"))
    var rows = try fill(&random, count: 400)
    for _ in 0..<4 {
      var expected: [[UInt8]: CameraList.Camera] = [:]
      for row in rows where !row.isRefused {
        let key = Array((row.item.camera ?? "").utf8)
        var camera =
          expected[key]
          ?? CameraList.Camera(
            name: row.item.camera, robot: row.robot, recordingCount: 0, from: row.item.startedAt, to: row.item.end,
            isLive: false, codec: "avc1.64001F")
        camera.recordingCount += 1
        camera.from = min(camera.from, row.item.startedAt)
        camera.to = max(camera.to, row.item.end)
        expected[key] = camera
      }
      let found = try index.cameras()
      #expect(found == expected.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value))
      let counts = try index.counts()
      #expect(counts.all == rows.count && counts.refused == rows.count { $0.isRefused })
      rows.shuffle(using: &random)
      let gone = rows.suffix(90)
      rows.removeLast(90)
      let versions = gone.map { VersionKey(name: $0.name, tag: $0.tag) }
      try index.write { (writer) throws(SQLiteError) in try writer.remove(versions) }
    }
  }

  @Test func `what reaches into a time is found, however long before it began`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "times of the fleet"))
    let rows = try fill(&random, count: 300).filter { $0.item.camera == "robot1:front" }
    for _ in 0..<60 {
      let from = Int64.random(in: -30..<50, using: &random)
      let to = from + Int64.random(in: 1..<20, using: &random)
      let range = UnixTimestamp(milliseconds: from)..<UnixTimestamp(milliseconds: to)
      let expected = rows.reversed().filter {
        $0.item.startedAt < range.upperBound
          && ($0.item.startedAt >= range.lowerBound || $0.item.end > range.lowerBound)
      }
      let found = try index.rows(ofCamera: "robot1:front", in: range, limit: 1_000, now: Self.now)
      #expect((found ?? []).map(\.name) == expected.map(\.name))
    }
    let instant = Self.now..<UnixTimestamp(milliseconds: 1)
    #expect(try index.rows(ofCamera: "robot1:none", in: instant, limit: 1, now: Self.now) == nil)
  }

  @Test func `an index that is damaged, or of a later program, is made again`() throws {
    let path = folder.path("other.sqlite")
    for text in ["this is no database, however long one looks at it".utf8.map { $0 }, []] {
      try Data(text).write(to: URL(filePath: path))
      let index = try FleetIndex(path: path)
      try index.add([Self.row("r", "a", camera: "c", start: 0, number: 1)])
      #expect(try index.counts().all == 1)
    }
    let later = try Database(path: folder.path("index.sqlite"))
    try later.execute("PRAGMA user_version = 99")
    #expect(try FleetIndex(path: folder.path("index.sqlite")).counts().all == 0)
  }
}
