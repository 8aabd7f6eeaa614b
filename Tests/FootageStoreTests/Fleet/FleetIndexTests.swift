import FootageDigest
import FootageAPI
import FootageBase
import Foundation
import FootageLibrary
import FootageSystem
@testable import FootageStore
import LinuxTestSupport
import Testing

@Suite struct FleetIndexTests {
  private let folder: TemporaryFolder
  private let index: FleetIndex
  private static let pin = PublicKeyPin(digest: SHA256.hash([1]))
  private static let now = UnixTimestamp(milliseconds: 0)

  init() throws {
    folder = try TemporaryFolder()
    index = try FleetIndex(path: folder.path("index.sqlite"))
  }

  /// - Parameter camera: the robot's camera; nil for none.
  static func row(
    _ robot: String, _ name: String, camera: String?, start: Int64, milliseconds: Int64 = 1_000, number: Int,
    isRefused: Bool = false
  ) -> FleetRow {
    let tag = FleetScene.tag(number)
    var item = RecordingItem(
      name: name, camera: camera, state: isRefused ? .refused("it is") : .ready, isRecovered: number % 3 == 0,
      size: UInt64(number), entityTag: "\"\(tag)\(tag)\"", tag: ItemTag(tag),
      startedAt: UnixTimestamp(milliseconds: start), startedFrom: "name", isInFuture: false,
      duration: Double(milliseconds) / 1_000,
      video: VideoFormat(
        codec: "avc1.64001F", width: 64, height: 48, frameRate: 30, rotation: number % 2 == 0 ? 90 : nil),
      audio: number % 2 == 0 ? AudioFormat(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2) : nil,
      videoTracks: number % 3 == 0
        ? (1...2).map { VideoTrack(number: $0, codec: "avc1", width: 64, height: 48, frameRate: $0 == 1 ? 30 : nil) }
        : [],
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
      if let key = row.filmKey {
        #expect(try index.row(film: key, now: Self.now) == row)
        // A tag or a key of another kind does not select it.
        let entityTag = try #require(row.item.entityTag)
        #expect(try index.row(film: FilmKey(ofRecording: row.name, entityTag: entityTag), now: Self.now) == nil)
      }
      #expect(try index.has(row.name, version: VersionTag(text: row.tag)) == !row.isRefused)
      #expect(try !index.has(row.name, version: VersionTag(text: "0")))
    }
    #expect(try index.row(named: "r/a", now: Self.now) == nil)
    #expect(index.generation == 1)
    try index.add(rows)
    #expect(index.generation == 1)
  }

  @Test func `a row of a camera that is hidden is found by nobody who may not see it`() throws {
    let rows = [
      Self.row("r", "a", camera: "c", start: 1, number: 1), Self.row("r", "b", camera: "d", start: 2, number: 2),
      Self.row("r", "x", camera: nil, start: 3, number: 3),
    ]
    try index.add(rows)
    let cameras = CameraSelection([try #require(rows[0].item.camera)])
    for (number, row) in rows.enumerated() {
      #expect(try index.row(named: row.name, from: cameras, now: Self.now) == (number == 0 ? row : nil))
      let found = try index.row(film: try #require(row.filmKey), from: cameras, now: Self.now)
      #expect(found == (number == 0 ? row : nil))
    }
  }

  @Test func `what begins ahead of the clock is marked by the clock of now`() throws {
    try index.add([Self.row("r", "a", camera: "c", start: 10_000_000, number: 1)])
    #expect(try index.row(named: "r/a", now: UnixTimestamp(milliseconds: 0))?.item.isInFuture == true)
    #expect(try index.row(named: "r/a", now: UnixTimestamp(milliseconds: 10_000_000))?.item.isInFuture == false)
  }

  /// Adds recordings of several robots, many of which begin at the same time, and returns them as a sorted list.
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
      if Bool.random(using: &random) {
        query.lasting = DecimalSeconds(Double(Int.random(in: 1..<32, using: &random)) / 1_000)
      }
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
          && query.lasting.map { row.end.milliseconds - row.item.startedAt.milliseconds >= $0.milliseconds } ?? true
          && query.state.map { ($0 == .refused) == row.isRefused && $0 != .recording } ?? true
          && (row.item.camera.map { cameras.contains(camera: $0) } ?? cameras.isEverything)
      }
      var found: [FleetRow] = []
      while true {
        let page = try index.page(of: query, from: cameras, now: Self.now)
        #expect(page.rows.count <= query.limit)
        found += page.rows
        guard let next = page.next else { break }
        // The cursor as a client returns it.
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

  @Test func `a page of some cameras is right however their recordings are spread`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "spread of the fleet"))
    var rows: [FleetRow] = []
    // All of one camera, then all of another, then both in turn; each more than is read at once.
    for number in 0..<600 {
      let camera = number < 200 ? "left" : number < 400 ? "right" : number % 2 == 0 ? "left" : "right"
      let robot = number % 7 == 0 ? "other" : "r"
      rows.append(Self.row(robot, "\(number)", camera: camera, start: Int64(number / 3), number: number))
    }
    try index.add(rows.shuffled(using: &random))
    rows.sort { one, other in
      one.item.startedAt == other.item.startedAt
        ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8) : one.item.startedAt > other.item.startedAt
    }
    for limit in [1, 15, 16, 17, 100, 400, 1_000] {
      for (robot, cameras) in [("r", CameraSelection.all), (nil, CameraSelection(["r:left", "other:right"]))] {
        var query = ListQuery(limit: limit)
        query.robot = robot
        var found: [String] = []
        repeat {
          let page = try index.page(of: query, from: cameras, now: Self.now)
          found += page.rows.map(\.name)
          query.after = page.next
        } while query.after != nil
        let expected = rows.filter { row in robot.map { $0 == row.robot } ?? cameras.contains(camera: row.item.camera) }
        #expect(found == expected.map(\.name), "\(limit)")
      }
    }
  }

  @Test func `cameras are right when versions replace others, are refused, and go`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "versions of the fleet"))
    var there: [FleetRow] = []
    var number = 0
    for _ in 0..<40 {
      var added: [FleetRow] = []
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        number += 1
        added.append(
          Self.row(
            "robot\(Int.random(in: 0..<2, using: &random))", "\(Int.random(in: 0..<8, using: &random))",
            camera: ["front", "rear", nil].randomElement(using: &random) ?? nil,
            start: Int64.random(in: 0..<1_000, using: &random),
            milliseconds: Int64.random(in: 1..<50, using: &random), number: number,
            isRefused: Int.random(in: 0..<3, using: &random) == 0))
      }
      try index.add(added.shuffled(using: &random))
      there.shuffle(using: &random)
      let gone = Array(there.prefix(Int.random(in: 0..<8, using: &random)))
      there.removeFirst(gone.count)
      there += added
      try index.write { (writer) throws(SQLiteError) in
        try writer.remove(gone.map { VersionKey(name: $0.name, tag: $0.tag) })
      }
      // For each name, the last version that is signed, or else the last one. The numbers serve as times here.
      let shown = Dictionary(grouping: there, by: \.name).values.compactMap { versions in
        versions.max { ($0.isRefused ? 0 : 1, $0.modifiedNanoseconds) < ($1.isRefused ? 0 : 1, $1.modifiedNanoseconds) }
      }
      let listed = try index.page(of: ListQuery(limit: 1_000), now: Self.now).rows
      #expect(Set(listed) == Set(shown) && listed.count == shown.count)
      let counts = try index.counts()
      #expect(counts.all == shown.count && counts.refused == shown.count { $0.isRefused })
      let expected = Dictionary(grouping: shown.filter { !$0.isRefused }) { $0.item.camera ?? "" }
      let cameras = try index.cameras()
      #expect(cameras.map(\.name) == expected.keys.sorted().map { $0 })
      for camera in cameras {
        let rows = expected[camera.name ?? ""] ?? []
        #expect(camera.recordingCount == rows.count && camera.from == rows.map(\.item.startedAt).min())
        #expect(camera.to == rows.map(\.item.end).max())
      }
    }
  }

  @Test func `an index of an earlier schema is made again`() throws {
    let path = folder.path("earlier.sqlite")
    let earlier = try Database(path: path)
    try earlier.execute("CREATE TABLE recordings (name TEXT); CREATE TABLE robots (name TEXT, pins TEXT)")
    try earlier.execute("INSERT INTO recordings VALUES ('r/a'); PRAGMA user_version = 1")
    let index = try FleetIndex(path: path)
    #expect(try index.counts().all == 0)
    let row = Self.row("r", "a", camera: "c", start: 0, number: 1)
    try index.add([row])
    #expect(try index.row(named: "r/a", now: Self.now) == row)
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
