import FootageBase
import FootageSystem
import Testing

@testable import FootageLibrary

/// The recordings that are deleted, and those that never are.
@Suite struct RetentionPlanTests {
  private typealias Scene = RetentionScene

  private static let three = [
    Scene.recording("old", ago: 5 * .day), Scene.recording("new", ago: 2 * .day),
    Scene.recording("older", ago: 6 * .day),
  ]

  @Test(
    arguments: [
      // One more than is free, 100, 101, all, more than all.
      (UInt64(5_001), ["older"]), (5_100, ["older"]), (5_101, ["older", "old"]), (5_300, ["older", "old", "new"]),
      (9_000, ["older", "old", "new"]), (5_000, []), (0, []),
    ] as [(UInt64, [String])])
  func `room is made by the oldest, and no more of it than is wanted`(keepFree: UInt64, expected: [String]) {
    #expect(Scene.gone(Self.three, RetentionRules(keepFree: .bytes(keepFree))) == expected)
  }

  @Test(arguments: [(50, []), (51, ["older"]), (52, ["older", "old"])] as [(Int, [String])])
  func `a share of the disk is meant of all of it`(percent: Int, expected: [String]) {
    #expect(Scene.gone(Self.three, RetentionRules(keepFree: .percent(percent))) == expected)
  }

  @Test func `where nobody knows how much is free nothing goes for room`() {
    #expect(Scene.gone(Self.three, RetentionRules(keepFree: .percent(99)), room: nil) == [])
  }

  @Test(arguments: [(300, []), (299, ["older"]), (200, ["older"]), (100, ["older", "old"])] as [(UInt64, [String])])
  func `all recordings together have a size`(maxSize: UInt64, expected: [String]) {
    #expect(Scene.gone(Self.three, RetentionRules(maxSize: maxSize)) == expected)
  }

  @Test func `what goes for its age makes room, too`() {
    let rules = RetentionRules(keepFree: .bytes(5_100), maxSize: 200, maxAge: 6 * .day)
    #expect(Scene.gone(Self.three, rules) == ["older"])
  }

  @Test func `cameras have ages of their own`() {
    let recordings = [("front", 8), ("front", 4), ("rear", 4), ("rear", 2), ("side", 4)].map { camera, days in
      Scene.recording("\(camera)\(days)", ago: Int64(days) * .day, camera: camera)
    }
    let rules = RetentionRules(maxAge: 7 * .day, maxAgeByCamera: ["rear": 3 * .day])
    #expect(Scene.gone(recordings, rules) == ["front8", "rear4"])
    #expect(Scene.gone(recordings, RetentionRules(maxAgeByCamera: ["rear": 3 * .day])) == ["rear4"])
  }

  @Test func `without a rule nothing goes`() {
    #expect(Scene.gone(Self.three, RetentionRules(), room: Scene.room(free: 0)) == [])
  }

  private static let owed = [
    Scene.recording("old", ago: 5 * .day), Scene.recording("new", ago: 2 * .day) { $0.isOwed = true },
    Scene.recording("older", ago: 6 * .day) { $0.isOwed = true },
  ]

  @Test(
    arguments: [
      (UInt64(5_100), false, ["old"]), (5_101, false, ["old", "older"]), (5_300, false, ["old", "older", "new"]),
      (5_300, true, ["old"]),
    ] as [(UInt64, Bool, [String])])
  func `what nothing else has goes behind all others, and where that is strict never`(
    keepFree: UInt64, isStrict: Bool, expected: [String]
  ) {
    var rules = RetentionRules(keepFree: .bytes(keepFree))
    rules.onlyStored = isStrict
    #expect(Scene.gone(Self.owed, rules) == expected)
    #expect(
      RetentionPlan(of: Self.owed, by: rules, room: Scene.room(free: 5_000), at: Scene.moment()).isShort == isStrict)
  }

  @Test func `what nothing else has does not go for its age`() {
    #expect(Scene.gone(Self.owed, RetentionRules(maxAge: 1 * .day)) == ["old"])
  }

  private typealias Change = @Sendable (inout RetentionCandidate) -> Void

  private static let reasonsToStay: [(String, Change)] = [
    ("is protected", { $0.isKept = true }), ("has a writer", { $0.hasWriter = true }),
    ("is being sent", { $0.openSince = 100 * .day - .minute }),
    ("was met a minute ago", { $0.sighting.uptime = 100 * .day - .minute }),
    ("was written to a minute ago", { $0.version.modifiedNanoseconds = RetentionScene.now - .minute }),
    ("ended a minute ago", { $0.endsAt = UnixTimestamp(nanoseconds: RetentionScene.now - .minute) }),
    ("has another name elsewhere", { $0.linkCount = 2 }),
    ("could not be deleted a moment ago", { $0.isLeftAlone = true }),
  ]

  /// The rules demand all room, and the recording is old.
  @Test(arguments: reasonsToStay.indices)
  func `what must stay stays`(index: Int) {
    let (why, change) = Self.reasonsToStay[index]
    let all = [Scene.recording("it", ago: 9 * .day, change), Scene.recording("other", ago: 8 * .day)]
    let rules = RetentionRules(keepFree: .bytes(9_000), maxSize: 1)
    #expect(Scene.gone(all, rules) == ["other"], "\(why)")
    #expect(RetentionPlan(of: all, by: rules, room: Scene.room(free: 5_000), at: Scene.moment()).isShort)
  }

  @Test func `who is sent a recording has it for an hour`() {
    for (ago, expected) in [(59 * .minute, []), (60 * .minute, ["it"])] as [(Int64, [String])] {
      let it = Scene.recording("it", ago: 9 * .day) { $0.openSince = 100 * .day - ago }
      #expect(Scene.gone([it], RetentionRules(maxAge: .day)) == expected)
    }
  }

  @Test(arguments: [(.hour, ["2 h"]), (30 * .minute, ["2 h", "45 m"]), (3 * .hour, [])] as [(Int64, [String])])
  func `nothing younger than a least age goes`(least: Int64, expected: [String]) {
    let all = [Scene.recording("2 h", ago: 2 * .hour), Scene.recording("45 m", ago: 45 * .minute)]
    #expect(Scene.gone(all, RetentionRules(maxSize: 0, keepAtLeast: least)) == expected)
  }

  @Test(arguments: [(23 * .hour, []), (24 * .hour, ["it"])] as [(Int64, [String])])
  func `a refused file goes after a day`(ago: Int64, expected: [String]) {
    let it = Scene.recording("it", ago: ago) { $0.isRefused = true }
    #expect(Scene.gone([it], RetentionRules(maxSize: 0)) == expected)
  }

  @Test func `a refused file is no more to be deleted than others before the least age`() {
    let it = Scene.recording("it", ago: 30 * .hour) { $0.isRefused = true }
    #expect(Scene.gone([it], RetentionRules(maxSize: 0, keepAtLeast: 36 * .hour)) == [])
    #expect(Scene.gone([it], RetentionRules(maxSize: 0, keepAtLeast: 30 * .hour)) == ["it"])
  }

  // MARK: Hard links

  @Test func `two names of one file that are both listed go together, as old as the younger`() {
    let all = [
      Scene.recording("a", ago: 9 * .day, inode: 7) { $0.linkCount = 2 }, Scene.recording("b", ago: 8 * .day),
      Scene.recording("c", ago: 7 * .day, inode: 7) { $0.linkCount = 2 }, Scene.recording("d", ago: 6 * .day),
    ]
    // The file counts once: three files of 100 bytes.
    #expect(Scene.gone(all, RetentionRules(maxSize: 300)) == [])
    #expect(Scene.gone(all, RetentionRules(maxSize: 200)) == ["b"])
    #expect(Scene.gone(all, RetentionRules(maxSize: 100)) == ["b", "a", "c"])
    let plan = RetentionPlan(
      of: all, by: RetentionRules(maxSize: 100), room: Scene.room(free: 0), at: Scene.moment())
    #expect(plan.deletions.map(\.freed) == [100, 0, 100])
  }

  @Test func `of two names one that is protected keeps both from going for room`() {
    let all = [
      Scene.recording("a", ago: 9 * .day, inode: 7) { $0.linkCount = 2 },
      Scene.recording("c", ago: 7 * .day, inode: 7) {
        $0.linkCount = 2
        $0.isKept = true
      },
    ]
    #expect(Scene.gone(all, RetentionRules(maxSize: 0)) == [])
  }

  @Test func `a second name that is too old goes, frees nothing, and is not counted`() {
    let it = Scene.recording("it", ago: 9 * .day) { $0.linkCount = 2 }
    let plan = RetentionPlan(of: [it], by: RetentionRules(maxAge: .day), room: nil, at: Scene.moment())
    #expect(plan.deletions.map(\.freed) == [0])
    #expect(Scene.gone([it], RetentionRules(maxSize: 0)) == [])
  }

  // MARK: Clocks

  @Test func `while ages do not count, none goes for its age, and the oldest still go for room`() {
    let rules = RetentionRules(keepFree: .bytes(5_100), maxAge: .day)
    #expect(Scene.gone(Self.three, rules, at: Scene.moment(agesCount: false)) == ["older"])
  }

  @Test func `in 1970 the order in which files were met decides`() {
    // The times of all of them are ahead of the clock.
    let all = [
      Scene.recording("second", ago: 5 * .day, order: 2), Scene.recording("first", ago: 2 * .day, order: 1),
      Scene.recording("third", ago: 6 * .day, order: 3) { $0.sighting.uptime = 100 * .day - 2 * .hour },
    ]
    let moment = Scene.moment(wall: 5 * .day, agesCount: false)
    #expect(Scene.gone(all, RetentionRules(maxSize: 0), at: moment) == ["first", "second", "third"])
  }

  @Test func `what was recorded in 1970 is as old as it was met, once the clock is set`() {
    let met = Scene.now - 3 * .day
    let it = Scene.recording("1970", ago: 0) {
      $0.version.modifiedNanoseconds = .hour
      ($0.startedAt, $0.endsAt) = (UnixTimestamp(seconds: 3_540), UnixTimestamp(seconds: 3_600))
      $0.sighting.wall = met
    }
    let others = [Scene.recording("4 d", ago: 4 * .day), Scene.recording("2 d", ago: 2 * .day)]
    #expect(Scene.gone([it] + others, RetentionRules(maxSize: 0)) == ["4 d", "1970", "2 d"])
    #expect(Scene.gone([it], RetentionRules(maxAge: 4 * .day)) == [])
    #expect(Scene.gone([it], RetentionRules(maxAge: 3 * .day)) == ["1970"])
  }

  @Test func `what is dated 2036 does not stay until then`() {
    let it = Scene.recording("2036", ago: -3_650 * .day) { $0.sighting.wall = RetentionScene.now - 3 * .day }
    let others = [Scene.recording("4 d", ago: 4 * .day), Scene.recording("2 d", ago: 2 * .day)]
    #expect(Scene.gone([it] + others, RetentionRules(maxSize: 0)) == ["4 d", "2036", "2 d"])
  }

  @Test func `a clock that has jumped to 2036 makes nothing old that has just come`() {
    let fresh = Scene.recording("fresh", ago: .minute) { $0.sighting.uptime = 100 * .day - .minute }
    let moment = Scene.moment(wall: Scene.now + 3_650 * .day, agesCount: false)
    let rules = RetentionRules(keepFree: .percent(99), maxSize: 0, maxAge: .day)
    #expect(Scene.gone([fresh] + Self.three, rules, at: moment) == ["older", "old", "new"])
  }

  @Test func `a name that is used again is as old as its file`() {
    let it = Scene.recording("2026-11-01T00-00-00", ago: 19 * .day) {
      $0.version.modifiedNanoseconds = RetentionScene.now - 2 * .day
    }
    #expect(Scene.gone([it], RetentionRules(maxAge: 7 * .day)) == [])
    #expect(Scene.gone([it], RetentionRules(maxAge: 2 * .day)) == ["2026-11-01T00-00-00"])
  }

  @Test func `numbers at their ends are no trap`() {
    let times: [Int64] = [.min, .min + 1, -1, 0, .max - 1, .max]
    for modified in times {
      for wall in times {
        let it = Scene.recording("it", ago: 0) {
          $0.version.modifiedNanoseconds = modified
          $0.version.size = .max
          $0.endsAt = UnixTimestamp(milliseconds: modified)
          $0.sighting.wall = modified
        }
        let other = Scene.recording("other", ago: 0) { $0.version.size = .max }
        let rules = RetentionRules(keepFree: .percent(99), maxSize: 1, maxAge: 1, keepAtLeast: 0)
        _ = Scene.gone([it, other], rules, room: Scene.room(free: 1, total: .max), at: Scene.moment(wall: wall))
      }
    }
  }

  /// Returns recordings in which one camera floods the disk with newer ones than all other cameras have.
  private static func flood() -> [RetentionCandidate] {
    (0..<4).map { RetentionScene.recording("front\($0)", ago: .day - Int64($0) * .hour, camera: "front") }
      + (0..<6).map { RetentionScene.recording("flood\($0)", ago: 12 * .hour - Int64($0) * .minute, camera: "flood") }
      + [RetentionScene.recording("none", ago: 2 * .day)]
  }

  private static func floors(_ maxSize: UInt64, _ floor: UInt64, _ own: [String: UInt64] = [:]) -> RetentionRules {
    var rules = RetentionRules(maxSize: maxSize, keepAtLeast: 0)
    (rules.cameraFloor, rules.cameraFloorByCamera) = (floor, own)
    return rules
  }

  @Test(
    arguments: [
      // Without a floor the oldest are deleted, regardless of their camera.
      (floors(700, 0), ["none", "front0", "front1", "front2"]),
      // Recordings without a camera count as a camera of their own.
      (floors(700, 200), ["front0", "front1", "flood0", "flood1"]),
      (floors(700, 400), ["flood0", "flood1", "none", "front0"]),
      (floors(700, 0, ["front": 300]), ["none", "front0", "flood0", "flood1"]),
      // If all cameras are at their floors, the oldest are deleted.
      (
        floors(100, 200),
        ["front0", "front1", "flood0", "flood1", "flood2", "flood3", "none", "front2", "front3", "flood4"]
      ),
    ] as [(RetentionRules, [String])])
  func `below its floor a camera's recordings go only when no other camera can spare any`(
    rules: RetentionRules, expected: [String]
  ) {
    #expect(RetentionScene.gone(Self.flood(), rules) == expected)
  }

  @Test func `a floor says nothing of what is too old`() {
    var rules = Self.floors(10_000, 10_000)
    rules.maxAge = 18 * .hour
    #expect(RetentionScene.gone(Self.flood(), rules) == ["none", "front0", "front1", "front2", "front3"])
  }

  @Test func `what is only believed to be stored counts as owed`() {
    let recordings = [
      RetentionScene.recording("believed", ago: 3 * .day) { ($0.isOwed, $0.isUnconfirmed) = (true, true) },
      RetentionScene.recording("stored", ago: 2 * .day),
    ]
    var rules = RetentionRules(maxSize: 0, maxAge: 1 * .day, keepAtLeast: 0)
    #expect(RetentionScene.gone(recordings, rules) == ["stored", "believed"])
    rules.onlyStored = true
    #expect(RetentionScene.gone(recordings, rules) == ["stored"])
  }
}
