import FootageAPI
import FootageBase
@testable import FootageStore
import FootageSystem
import LinuxTestSupport
import Testing

/// Additions to the store and deletions from it, as its listings show them.
@Suite(.timeLimit(.minutes(2))) struct FleetScannerTests {
  private let robot: RobotKey
  private let twin: RobotKey
  private let strange: RobotKey

  init() throws {
    robot = try RobotKey("robot")
    twin = try RobotKey("twin")
    strange = try RobotKey("strange")
  }

  private func scene(_ more: String = "") throws -> FleetScene {
    try FleetScene("robot7 \(try robot.pin)\nrobot8 \(try twin.pin)\n\(more)")
  }

  private func day(_ number: Int) -> String { "front/2026-11-\(10 + number)T10-15-30" }

  @Test func `what robots have signed is listed under their names, and nothing of others`() async throws {
    let scene = try scene()
    scene.put(try robot.manifest(day(1), tag: FleetScene.tag(1)), "robot7", day(1), FleetScene.tag(1))
    scene.put(
      try twin.manifest("a", camera: nil, tag: FleetScene.tag(2), start: 0), "robot8", "a", FleetScene.tag(2))
    scene.put(try strange.manifest(day(1), tag: FleetScene.tag(3)), "robot9", day(1), FleetScene.tag(3))
    // An engine also lists the keys of robot70 under robot7.
    scene.put(try robot.manifest(day(2), tag: FleetScene.tag(4)), "robot70", day(2), FleetScene.tag(4))
    #expect(await scene.look() == FleetScanner.interval)
    #expect(try scene.listed() == ["robot7/\(day(1))", "robot8/a"])
    let cameras = try scene.index.cameras()
    #expect(cameras.map(\.name) == ["robot7:front", "robot8:"] && cameras.map(\.robot) == ["robot7", "robot8"])
    let row = try #require(try scene.index.row(named: "robot7/\(day(1))", now: UnixTimestamp(milliseconds: 0)))
    #expect(row.item.entityTag == "\"\(FleetScene.tag(1))\(FleetScene.tag(1))\"" && row.item.place == .store)
    #expect(row.item.tag?.text == FleetScene.tag(1) && row.nameAtRobot == day(1) && row.robot == "robot7")
    #expect(row.signer == (try robot.pin))
    #expect(
      scene.progress.status.storeTrouble == nil && scene.progress.status.robots == 2 && !scene.changes.all.isEmpty)
  }

  /// Returns objects in the place of a manifest that `robot7` has not validly signed.
  private func forgeries() throws -> [(bytes: [UInt8], words: String)] {
    let tag = FleetScene.tag(1)
    let signed = try robot.manifest(day(1), tag: tag)
    var changed = signed
    changed[try #require(changed.firstIndex(of: UInt8(ascii: "1")))] = UInt8(ascii: "2")
    var cut = signed
    cut.removeLast(20)
    return [
      (try strange.manifest(day(1), tag: tag), "another robot"), (changed, ""), (cut, ""), ([], "two lines"),
      (try robot.manifest(day(2), tag: tag), "does not match its place"),
      (try robot.manifest(day(1), tag: FleetScene.tag(2)), "does not match its place"),
    ]
  }

  @Test func `what its robot did not sign is refused under the name in its key`() async throws {
    for (bytes, words) in try forgeries() {
      let scene = try scene()
      scene.put(bytes, "robot7", day(1), FleetScene.tag(1))
      await scene.look()
      #expect(try scene.listed() == ["robot7/\(day(1)) refused"])
      let row = try #require(try scene.index.row(named: "robot7/\(day(1))", now: UnixTimestamp(milliseconds: 0)))
      guard case .refused(let reason) = row.item.state else {
        Issue.record("\(row)")
        continue
      }
      #expect(reason.contains(words), "\(reason)")
      #expect(row.item.camera == nil && row.item.entityTag == nil && row.item.tag == nil)
      // The moment in its name, so that all servers list it in the same place.
      #expect(row.item.startedAt.rfc3339 == "2026-11-11T10:15:30.000Z")
      #expect(try scene.index.counts().refused == 1 && scene.index.cameras().isEmpty)
      #expect(scene.events.all.count == 1)
    }
  }

  @Test func `a forged version never takes the place of one that is signed`() async throws {
    let scene = try scene()
    scene.put(try robot.manifest(day(1), tag: FleetScene.tag(1)), "robot7", day(1), FleetScene.tag(1))
    for number in 2..<6 {
      let tag = FleetScene.tag(number)
      scene.put(try strange.manifest(day(1), tag: tag, modified: .max), "robot7", day(1), tag)
    }
    await scene.look()
    #expect(try scene.listed() == ["robot7/\(day(1))"])
    scene.delete("robot7", day(1), FleetScene.tag(1))
    scene.time.advance(by: .seconds(3_601))
    await scene.look()
    #expect(try scene.listed() == ["robot7/\(day(1)) refused"])
  }

  @Test func `of two versions of a name the one that was written last is shown, and then the other one`() async throws {
    let scene = try scene()
    let (old, new) = (FleetScene.tag(1), FleetScene.tag(2))
    scene.put(try robot.manifest(day(1), tag: new, modified: 2_000), "robot7", day(1), new)
    await scene.look()
    scene.put(try robot.manifest(day(1), camera: "other", tag: old, modified: 1_000), "robot7", day(1), old)
    scene.time.advance(by: .seconds(3_601))
    await scene.look()
    let name = "robot7/\(day(1))"
    #expect(try scene.index.row(named: name, now: UnixTimestamp(milliseconds: 0))?.tag == new)
    #expect(try scene.index.cameras().map(\.name) == ["robot7:front"])
    #expect(try scene.index.has(name, version: VersionTag(text: old)))
    scene.delete("robot7", day(1), new)
    scene.time.advance(by: .seconds(3_601))
    await scene.look()
    #expect(try scene.index.row(named: name, now: UnixTimestamp(milliseconds: 0))?.tag == old)
    #expect(try scene.index.cameras().map(\.name) == ["robot7:other"])
  }

  @Test func `news of every camera, and a camera that is new, are found by a few short lists`() async throws {
    let scene = try scene()
    let cameras = ["front", "left", "rear"]
    func put(_ camera: String, _ hour: Int) throws {
      let name = "\(camera)/2026-11-20T\(hour < 10 ? "0" : "")\(hour)-00-00"
      let tag = FleetScene.tag(name.utf8.reduce(7) { $0 &* 31 &+ Int($1) })
      scene.put(try robot.manifest(name, camera: camera, tag: tag, start: Int64(hour)), "robot7", name, tag)
    }
    for camera in cameras { for hour in 0..<12 { try put(camera, hour) } }
    await scene.look()
    #expect(try scene.listed().count == 36)
    let before = scene.store.requests.all.count
    await scene.look()
    // One list for each camera of each robot, and one from the beginning; nothing is read again.
    let quiet = scene.store.requests.all[before...]
    #expect(quiet.allSatisfy { $0.operation == .list } && quiet.count <= 6, "\(quiet.map(\.target))")
    for camera in cameras { try put(camera, 12) }
    for camera in ["aft", "mid", "zenith"] { for hour in 0..<6 { try put(camera, hour) } }
    await scene.look()
    #expect(try scene.listed().count == 36 + 3 + 18)
    #expect(try scene.index.cameras().count == 6)
  }

  @Test func `what was deleted in the store is gone after the next whole listing, and nothing else is`() async throws {
    let scene = try scene()
    for number in 1...9 {
      let tag = FleetScene.tag(number)
      scene.put(try robot.manifest(day(number), tag: tag), "robot7", day(number), tag)
    }
    await scene.look()
    scene.delete("robot7", day(4), FleetScene.tag(4))
    await scene.look()
    #expect(try scene.listed().count == 9)
    // An interrupted listing deletes nothing.
    scene.time.advance(by: .seconds(3_601))
    scene.store.play { $0.operation == .list ? .error(503, "SlowDown") : nil }
    await scene.look()
    #expect(try scene.listed().count == 9)
    #expect(scene.progress.status.storeTrouble?.code == .offloadAway)
    scene.store.play { _ in nil }
    scene.time.advance(by: .seconds(60))
    await scene.look()
    #expect(try scene.listed().count == 8 && !scene.listed().contains("robot7/\(day(4))"))
    #expect(try scene.index.cameras().first?.recordingCount == 8)
    #expect(scene.progress.status.storeTrouble == nil)
  }

  @Test func `a robot that is off the list is gone, and so is what a key signed that counts no more`() async throws {
    let scene = try scene()
    scene.put(try robot.manifest(day(1), tag: FleetScene.tag(1)), "robot7", day(1), FleetScene.tag(1))
    scene.put(try twin.manifest(day(1), tag: FleetScene.tag(2)), "robot8", day(1), FleetScene.tag(2))
    scene.put(try strange.manifest(day(2), tag: FleetScene.tag(3)), "robot8", day(2), FleetScene.tag(3))
    await scene.look()
    #expect(
      try Set(scene.listed()) == ["robot7/\(day(1))", "robot8/\(day(1))", "robot8/\(day(2)) refused"])
    // An additional key, as one that the robot had before.
    try scene.setRobots("robot8 \(try twin.pin) \(try strange.pin)\n")
    await scene.look()
    #expect(try Set(scene.listed()) == ["robot8/\(day(1))", "robot8/\(day(2))"])
    try scene.setRobots("robot8 \(try strange.pin)\n")
    await scene.look()
    #expect(try Set(scene.listed()) == ["robot8/\(day(1)) refused", "robot8/\(day(2))"])
    // An invalid list of robots changes nothing.
    try scene.setRobots("robot8\n")
    await scene.look()
    #expect(try scene.listed().count == 2 && scene.progress.status.robotsFailure?.contains("line 1") == true)
  }

  @Test func `an index that was deleted is made again, and two servers list alike`() async throws {
    let scene = try scene()
    for number in 1...30 {
      let name = "cam\(number % 3)/\(number % 7)"
      let tag = FleetScene.tag(number)
      scene.put(
        try robot.manifest(
          name, camera: "cam\(number % 3)", tag: tag, start: Int64(number % 5), modified: Int64(number)),
        "robot7", name, tag)
    }
    await scene.look()
    let second = try FleetScene("robot7 \(try robot.pin)\n", of: scene.store)
    await second.look()
    var query = ListQuery(limit: 4)
    var names: [String] = []
    // Pages alternate between the two: each accepts the other's cursors.
    for turn in 0..<20 {
      let page = try (turn % 2 == 0 ? scene : second).index.page(of: query, now: UnixTimestamp(milliseconds: 0))
      names += page.rows.map { "\($0.name) \($0.tag)" }
      guard let next = page.next else { break }
      query.after = next
    }
    let all = try scene.index.page(of: ListQuery(limit: 1_000), now: UnixTimestamp(milliseconds: 0)).rows
    #expect(names == all.map { "\($0.name) \($0.tag)" } && names.count == 21)
  }
}
