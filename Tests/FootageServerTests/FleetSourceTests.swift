import FootageAPI
import FootageBase
import LinuxTestSupport
import StoreTestSupport
import Testing

@testable import FootageStore
@testable import FootageServer

/// The answers of a server of many robots, compared with the robot's own.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct FleetSourceTests {
  private static let good = "/recordings/\(FleetServerScene.good)"

  /// The endings of targets whose answers are the same here and on the robot.
  nonisolated private static let views = [
    ".mp4", ".mp4?v=TAG", ".mp4?keyframe=1", ".mp4?start=0.2&end=1.5", ".mp4?keys=1", ".index", ".index?v=TAG",
  ]

  @Test func `each view of a recording is the robot's, byte for byte, under the robot's entity tag`() async throws {
    let scene = try FleetServerScene()
    let tag = try scene.robot.tag(RobotScene.good)
    for view in Self.views {
      let view = view.replacing("TAG", with: tag)
      let there = try await scene.robot.ask("/recordings/\(RobotScene.good)\(view)")
      let here = try await scene.ask("\(Self.good)\(view)")
      #expect(there.status == 200 && here.status == 200, "\(view): \(there.status), \(here.status)")
      #expect(here.fields["ETag"] == there.fields["ETag"], "\(view)")
      #expect(here.fields["Cache-Control"] == there.fields["Cache-Control"] && here.mediaType == there.mediaType)
      #expect(here.bytes == (try await scene.robot.bytes(of: there.body)), "\(view)")
    }
  }

  @Test func `its film is listed at an address of its own, and its parts are the robot's`() async throws {
    let scene = try FleetServerScene()
    let (here, there) = (try scene.film(Self.good), try scene.robot.film(RobotScene.good))
    #expect(here != there)
    let variants = try await scene.ask("\(Self.good).m3u8")
    #expect(String(decoding: variants.bytes, as: UTF8.self).contains("2026-11-20T10-15-30.media.m3u8"))
    let playlist = String(decoding: try await scene.ask("\(Self.good).media.m3u8").bytes, as: UTF8.self)
    #expect(playlist.contains("\n../../../hls/\(here)/0.m4s\n"), "\(playlist)")
    let listed = playlist.split(separator: "\n").filter { $0.hasPrefix("../") }
    let silent = ["silent-aac/init.mp4", "silent-opus/0.m4s", "mute/0.m4s"].map { "/hls/\(here)/\($0)" }
    for target in listed.map({ "/" + $0.replacing("../", with: "") }) + silent {
      let (ours, theirs) = (
        try await scene.ask(target), try await scene.robot.ask(target.replacing(here, with: there))
      )
      #expect(ours.status == 200 && ours.fields["ETag"] == theirs.fields["ETag"])
      #expect(ours.bytes == (try await scene.robot.bytes(of: theirs.body)))
    }
    let tag = try scene.robot.tag(RobotScene.good)
    // The robot's address, the tags of earlier playlists, and other keys are no addresses here.
    for other in [there, tag, "0011223344556677", String(repeating: "0", count: 32)] {
      #expect(try await scene.ask("/hls/\(other)/0.m4s").code == "gone", "\(other)")
    }
    #expect(try await scene.ask("/hls/\(here)/next").code == "gone")
  }

  @Test func `the same recording of two robots has two films`() async throws {
    let scene = try FleetServerScene()
    try scene.bring(RobotScene.good, as: "robot8")
    let other = Self.good.replacing("robot7", with: "robot8")
    let (one, two) = (try scene.film(Self.good), try scene.film(other))
    #expect(one != two)
    for (film, name) in [(one, Self.good), (two, other)] {
      let playlist = String(decoding: try await scene.ask("\(name).media.m3u8").bytes, as: UTF8.self)
      #expect(playlist.contains("/hls/\(film)/0.m4s\n"))
      #expect(try await scene.ask("/hls/\(film)/0.m4s").status == 200)
    }
  }

  @Test func `a camera's film and clip are made of what its robot brought`() async throws {
    let scene = try FleetServerScene()
    let span = "?from=2026-11-20T10:15:30Z&to=2026-11-20T10:15:32Z"
    let playlist = try await scene.ask("/cameras/robot7:front.m3u8\(span)")
    #expect(playlist.status == 200 && String(decoding: playlist.bytes, as: UTF8.self).contains("\n../hls/"))
    let there = try await scene.robot.ask("/cameras/front.mp4\(span)")
    let here = try await scene.ask("/cameras/robot7:front.mp4\(span)")
    #expect(here.status == 200 && here.fields["ETag"] == there.fields["ETag"])
    #expect(here.bytes == (try await scene.robot.bytes(of: there.body)))
    #expect(here.fields["Content-Disposition"]?.contains("robot7_front_2026-11-20T10-15-30") == true)
    let nothing = try await scene.ask("/cameras/robot7:front.mp4?from=2026-11-20T11:15:30Z&to=2026-11-20T11:15:32Z")
    #expect(nothing.code == "no-footage")
    #expect(String(decoding: nothing.bytes, as: UTF8.self).contains("2026-11-20T10:15:32"))
    #expect(try await scene.ask("/cameras/robot7:front.m3u8?from=2026-01-01&to=2026-11-20").code == "too-long")
    #expect(try await scene.ask("/cameras/robot8:front.mp4\(span)").code == "no-footage")
    #expect(try await scene.ask("/cameras/robot7:front.mp4?from=2026-11-20T10:15:30Z&to=now").status == 307)
  }

  @Test func `the manifest is the robot's, as the store has it`() async throws {
    let scene = try FleetServerScene()
    let tag = try scene.robot.tag(RobotScene.good)
    let answer = try await scene.ask("\(Self.good).manifest")
    #expect(answer.status == 200 && answer.bytes == scene.store["robot7/\(RobotScene.good)/\(tag).json"])
    #expect(answer.fields["ETag"]?.hasPrefix("\"\(tag)") == true)
  }

  @Test func `lists, items and timelines say whose it is`() async throws {
    let scene = try FleetServerScene()
    let list = try #require(try await scene.ask("/recordings").json.flatMap(RecordingList.init))
    let item = try RecordingItem(try #require(list.items.first))
    #expect(item.name == FleetServerScene.good && item.camera == "robot7:front" && item.place == .store)
    let there = try RecordingItem(try await scene.robot.json("/recordings/\(RobotScene.good).json"))
    #expect(item.entityTag == there.entityTag && item.tag == there.tag && item.startedAt == there.startedAt)
    #expect(try RecordingItem(try #require(try await scene.ask("\(Self.good).json").json)) == item)
    #expect(list.header.robot?.name == "fleet" && list.header.may == [])
    for (query, count) in [("robot=robot7", 1), ("robot=robot8", 0), ("camera=robot7:front", 1), ("camera=front", 0)] {
      #expect(try await scene.ask("/recordings?\(query)").json?["recordings"]?.array?.count == count, "\(query)")
    }
    let cameras = try #require(try await scene.ask("/cameras").json.flatMap(CameraList.init))
    #expect(cameras.cameras.map(\.name) == ["robot7:front"] && cameras.cameras.map(\.robot) == ["robot7"])
    #expect(try await scene.ask("/cameras?robot=robot8").json?["cameras"]?.array?.isEmpty == true)
    let day = "from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z"
    let mine = try #require(try await scene.ask("/cameras/robot7:front.json?\(day)").json)
    let robots = try await scene.robot.json("/cameras/front.json?\(day)")
    #expect(mine["spans"]?.array?.count == robots["spans"]?.array?.count && mine["spans"]?.array?.count == 1)
    #expect(try await scene.ask("/cameras/robot8:front.json?\(day)").status == 404)
  }

  @Test func `what a robot did not sign is listed with the reason, and never served`() async throws {
    let scene = try FleetServerScene()
    try scene.bring(RobotScene.good, as: "robot8", pins: [])
    let target = "/recordings/robot8/\(RobotScene.good)"
    let item = try #require(try await scene.ask("\(target).json").json)
    #expect(item["state"]?.string == "refused" && item["reason"]?.string?.contains("did not sign") == true)
    let tag = try scene.robot.tag(RobotScene.good)
    for view in Self.views + [".manifest", ".media.m3u8", ".raw"] {
      let answer = try await scene.ask(target + view.replacing("TAG", with: tag))
      #expect(answer.status == 404 && (answer.code == "refused" || view == ".raw"), "\(view): \(answer.code ?? "")")
    }
    let health = try #require(try await scene.ask("/health").json)
    #expect(health["status"]?.string == "degraded")
    #expect(health["reasons"]?.array?.first?["code"]?.string == "offload-foreign")
    #expect(try await scene.ask("/recordings?state=refused&robot=robot8").json?["recordings"]?.array?.count == 1)
  }

  @Test func `a store that is away is told, before anything was said, and tried again the next time`() async throws {
    let scene = try FleetServerScene()
    scene.isStoreAway = true
    for target in ["\(Self.good).mp4?keyframe=1", "\(Self.good).media.m3u8", "\(Self.good).manifest"] {
      let answer = try await scene.ask(target)
      #expect(answer.status == 502 && answer.code == "store-away", "\(target): \(answer.status)")
    }
    #expect(try await scene.ask("/recordings").status == 200)
    scene.isStoreAway = false
    #expect(try await scene.ask("\(Self.good).mp4?keyframe=1").status == 200)
  }

  @Test func `viewers see the cameras of their robots alone`() async throws {
    let scene = try FleetServerScene(rules: "alice cameras=robot7:front keep\nbob cameras=robot7:rear,front\n")
    try scene.bring(RobotScene.good, as: "robot8", pins: [])
    let (alice, bob) = (HeldRequest(client: "alice"), HeldRequest(client: "bob"))
    let film = try scene.film(Self.good)
    let targets = [
      "\(Self.good).json", "\(Self.good).mp4", "\(Self.good).manifest", "\(Self.good).mp4?keyframe=0",
      "/hls/\(film)/0.m4s", "/cameras/robot7:front.json?from=2026-11-20&to=2026-11-21",
    ]
    for target in targets {
      #expect(try await scene.ask(target, over: alice).status == 200, "\(target)")
      #expect(try await scene.ask(target, over: bob).status == 404, "\(target)")
    }
    #expect(try await scene.ask("/recordings", over: alice).json?["recordings"]?.array?.count == 1)
    #expect(try await scene.ask("/recordings", over: bob).json?["recordings"]?.array?.isEmpty == true)
    #expect(try await scene.ask("/cameras", over: bob).json?["cameras"]?.array?.isEmpty == true)
    #expect(try await scene.ask("/health", over: bob).json?["recordings"]?.integer() == 0)
    // Nothing can be changed here, by any viewer.
    #expect(try await scene.ask("/recordings", over: alice).json?["may"]?.array?.isEmpty == true)
    for (method, target) in [("PUT", "\(Self.good).keep"), ("POST", "/cameras/robot7:front.keep")] {
      let answer = try await scene.ask(target, method: method, over: alice)
      #expect(answer.status == 403 && answer.code == "not-permitted", "\(method) \(target)")
    }
  }

  @Test func `what is held open is let go when it is not in the index any more`() async throws {
    let scene = try FleetServerScene()
    _ = try await scene.ask("\(Self.good).mp4")
    let open = scene.handler.source.openVersions
    #expect(open.map { String(decoding: $0.name, as: UTF8.self) } == [FleetServerScene.good])
    scene.handler.source.close([])
    #expect(scene.handler.source.openVersions.count == 1)
    scene.handler.source.close(Set(open))
    #expect(scene.handler.source.openVersions.isEmpty)
  }
}
