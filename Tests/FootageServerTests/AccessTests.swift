import FootageAnswers
import FootageAPI
import FootageBase
import FootageHTTP
import FootageLibrary
import LinuxTestSupport
import Testing

@testable import FootageServer
@testable import FootageStore

/// Every resource for every kind of viewer, restricted by `viewers.conf`.
@MainActor
@Suite struct AccessTests {
  private static let conf = """
    all cameras=* keep release status share
    front cameras=front
    support cameras=front status
    rear cameras=rear keep
    tier cameras=front share
    """

  /// The name of a recording outside of every camera's folder.
  private static let loose = "loose"

  enum Viewer: String, CaseIterable {
    /// There is no `viewers.conf`.
    case free
    case all, front, support, rear, tier
    /// A viewer without a line in `viewers.conf`.
    case stranger
    /// A connection without a certificate, which `require` would reject earlier.
    case nobody

    var connection: HeldRequest {
      switch self {
      case .free, .nobody: HeldRequest()
      default: HeldRequest(client: rawValue)
      }
    }
  }

  private func scene(for viewer: Viewer) throws -> RobotScene {
    let scene = try RobotScene(rules: viewer == .free ? nil : Self.conf)
    try scene.add(Self.loose, Samples.moovLast)
    scene.publish()
    return scene
  }

  /// Each target with its answer to viewers who may see its recording, and with the camera of that recording. The
  /// camera is nil for recordings without one.
  private static let recordings: [(target: String, camera: String?, status: Int, code: String?)] = [
    ("/recordings/\(RobotScene.good).json", "front", 200, nil),
    ("/recordings/\(RobotScene.good).mp4", "front", 200, nil),
    ("/recordings/\(RobotScene.good).mp4?v=TAG", "front", 200, nil),
    ("/recordings/\(RobotScene.good).mp4?v=0", "front", 404, "gone"),
    ("/recordings/\(RobotScene.good).mp4?keyframe=1", "front", 200, nil),
    ("/recordings/\(RobotScene.broken).json", "front", 200, nil),
    ("/recordings/\(RobotScene.broken).mp4", "front", 404, "refused"),
    ("/recordings/\(RobotScene.growing).json", "rear", 200, nil),
    ("/recordings/\(RobotScene.growing).mp4", "rear", 404, "not-ready"),
    ("/recordings/\(RobotScene.growing).mp4?keyframe=1", "rear", 404, "not-ready"),
    ("/recordings/\(loose).json", nil, 200, nil), ("/recordings/\(loose).mp4", nil, 200, nil),
  ]

  private static func sees(_ viewer: Viewer, _ camera: String?) -> Bool {
    switch viewer {
    case .free, .all: true
    case .front, .support, .tier: camera == "front"
    case .rear: camera == "rear"
    case .stranger, .nobody: false
    }
  }

  @Test(arguments: Viewer.allCases)
  func `a recording of a camera that is not the viewer's is not there, whatever is asked of it`(
    viewer: Viewer
  ) async throws {
    let scene = try scene(for: viewer)
    let tag = try scene.tag(RobotScene.good)
    for (target, camera, status, code) in Self.recordings {
      let target = target.replacing("TAG", with: tag)
      for method in ["GET", "HEAD"] {
        // It asks twice, because the second time the recording may be open.
        for _ in 0..<2 {
          let answer = try await scene.ask(target, method: method, over: viewer.connection)
          if Self.sees(viewer, camera) {
            #expect(answer.status == status && answer.code == code, "\(viewer) \(method) \(target)")
          } else {
            #expect(answer.status == 404 && answer.code == "not-found", "\(viewer) \(method) \(target)")
            let nothing = try await scene.ask("/recordings/none.mp4", over: viewer.connection)
            #expect(answer.detail == nothing.detail)
          }
        }
      }
    }
  }

  @Test(arguments: Viewer.allCases)
  func `an open recording is handed out at once to those alone who may see it`(viewer: Viewer) async throws {
    let scene = try scene(for: viewer)
    let target = "/recordings/\(RobotScene.good).mp4"
    _ = try await scene.ask(target, over: (viewer == .free ? viewer : .all).connection)
    let isSeen = Self.sees(viewer, "front")
    #expect(try (scene.atOnce(target, over: viewer.connection) != nil) == isSeen)
    // Another spelling of the same target.
    let other = try await scene.ask(target.replacing("front", with: "%66ront"), over: viewer.connection)
    #expect((other.body != nil) == isSeen)
  }

  @Test(arguments: Viewer.allCases)
  func `lists, cameras and counts are of what the viewer may see`(viewer: Viewer) async throws {
    let scene = try scene(for: viewer)
    let all = [RobotScene.good, RobotScene.broken, RobotScene.growing, Self.loose]
    let visible = all.filter { Self.sees(viewer, $0.contains("/") ? String($0.split(separator: "/")[0]) : nil) }
    let list = try await scene.json("/recordings", over: viewer.connection)
    #expect(Set(list["recordings"]?.array?.compactMap { $0["name"]?.string } ?? []) == Set(visible))
    // A page that would be full of others' recordings is full of the viewer's own.
    let page = try await scene.json("/recordings?limit=1", over: viewer.connection)
    #expect(page["recordings"]?.array?.count == min(1, visible.count))
    #expect((page["next"]?.string != nil) == (visible.count > 1))
    let hidden = try await scene.json("/recordings?camera=rear", over: viewer.connection)
    #expect(hidden["recordings"]?.array?.count == (Self.sees(viewer, "rear") ? 1 : 0))
    let cameras = try await scene.json("/cameras", over: viewer.connection)
    let names = cameras["cameras"]?.array?.map { $0["name"]?.string }
    #expect(names == ["front", "rear", nil].filter { Self.sees(viewer, $0) })
    let health = try await scene.json("/health", over: viewer.connection)
    #expect(health["recordings"]?.integer() == visible.count)
    let may: [Viewer: [String]] = [
      .all: ["keep", "release", "status", "share"], .support: ["status"], .rear: ["keep"], .tier: ["share"],
    ]
    for json in [list, cameras] {
      #expect(json["may"]?.array?.compactMap(\.string) == may[viewer] ?? [])
    }
  }

  @Test(arguments: Viewer.allCases)
  func `metrics need the right status, and tell of the viewer's cameras alone`(viewer: Viewer) async throws {
    let scene = try scene(for: viewer)
    let answer = try await scene.ask("/metrics", over: viewer.connection)
    guard [.free, .all, .support].contains(viewer) else {
      #expect(answer.status == 403 && answer.code == "not-permitted", "\(viewer)")
      return
    }
    #expect(answer.status == 200)
    #expect(answer.fields["Cache-Control"] == (viewer == .support ? "private, no-cache" : "no-cache"))
    scene.health.observe()
    let text = String(decoding: try await scene.ask("/metrics", over: viewer.connection).bytes, as: UTF8.self)
    #expect(text.contains(#"footage_recordings{camera="front",state="ready"} 1"#))
    #expect(text.contains(#"camera="rear""#) == (viewer != .support))
  }

  @Test func `health says nothing of a camera that the viewer may not see`() async throws {
    let scene = try scene(for: .all)
    try scene.add("rear/late", Samples.moovLast, age: 50_000)
    scene.publish()
    scene.health.observe()
    func codes(_ viewer: Viewer) async throws -> [String] {
      let json = try await scene.json("/health", over: viewer.connection)
      return json["reasons"]?.array?.compactMap { $0["code"]?.string } ?? []
    }
    // The broken file is in the camera front, which has been silent for an hour while the other one records.
    for (viewer, isTold) in [(Viewer.all, true), (.front, true), (.rear, false)] {
      let codes = try await codes(viewer)
      #expect(codes.contains("refused-lately") == isTold && codes.contains("camera-late") == isTold, "\(viewer)")
    }
  }

  @Test(arguments: Viewer.allCases)
  func `what is for one viewer alone is kept by no cache for others`(viewer: Viewer) async throws {
    let scene = try scene(for: viewer)
    let tag = try scene.tag(RobotScene.good)
    let isShared = [.free, .all, .tier].contains(viewer)
    let targets = ["/", "/health", "/recordings", "/cameras"] + Self.recordings.map(\.target)
    for target in targets {
      let answer = try await scene.ask(target.replacing("TAG", with: tag), over: viewer.connection)
      guard answer.status == 200 else { continue }
      let kept = target.contains("v=") ? "max-age=31536000, immutable" : "no-cache"
      #expect(answer.fields["Cache-Control"] == (isShared ? kept : "private, \(kept)"), "\(viewer) \(target)")
    }
    // The answer from open files has the same field.
    if Self.sees(viewer, "front") {
      let target = "/recordings/\(RobotScene.good).mp4?v=\(tag)"
      let body = try #require(try scene.atOnce(target, over: viewer.connection))
      #expect(body.metadata.cacheControl?.hasPrefix("private, ") == !isShared)
      #expect(try await scene.bytes(of: body).count == Samples.moovLast.count)
      #expect(try scene.atOnce(target, over: viewer.connection) === body)
    }
  }

  @Test func `lists of viewers with other rights have other tags`() async throws {
    let scene = try scene(for: .all)
    for target in ["/recordings", "/cameras"] {
      var tags: Set<String> = []
      for viewer in [Viewer.all, .front, .support, .rear, .tier, .stranger] {
        let tag = try #require(try await scene.ask(target, over: viewer.connection).fields["ETag"])
        #expect(try await scene.ask(target, "If-None-Match: \(tag)", over: viewer.connection).status == 304)
        tags.insert(tag)
      }
      #expect(tags.count == 6, "\(target)")
    }
  }

  // MARK: Traces of hidden cameras

  /// A word in the names of all cameras that the viewers may not see, and in all messages about them.
  private static let secret = "xyzzy"

  /// Returns a robot with every problem whose message quotes names. Its viewers see only the camera front: `front` has
  /// no rights, `support` sees the robot's state, and `changer` may make changes.
  private func brokenScene() throws -> RobotScene {
    let secret = Self.secret
    let progress = OffloadProgress(store: "https://store.example/\(secret)")
    progress.update { report in
      report.troubles = [HealthCode.offloadMissing, .offloadForeign, .offloadRecord].map { code in
        HealthReport.Reason(code, "1 recording is not there: \(secret)/2026-11-20T10-15-30 for one")
      }
    }
    let scene = try RobotScene(
      rules: "all cameras=* keep release status\nfront cameras=front\nsupport cameras=front status\n"
        + "changer cameras=front keep release\nstranger cameras=nothing", origins: ["https://dash.example"],
      offload: progress)
    for name in ["2026-11-20T10-15-30", "2026-11-20T11-15-30"] {
      try scene.add("\(secret)/\(name)", Samples.moovLast, age: 90_000)
    }
    try scene.add("\(secret)/broken", Array("this is no recording".utf8))
    try scene.add("\(secret)late/2026-11-20T10-15-30", Samples.moovLast, age: 50_000)
    scene.publish()
    scene.health.noteCertificates(end: 60, failure: "/etc/\(secret)/server.pem cannot be read")
    scene.health.observe()
    return scene
  }

  private static let ofEverybody = [
    "/", "/health", "/health?live", "/metrics", "/recordings", "/recordings?state=refused", "/recordings?limit=1",
    "/cameras", "/cameras?robot=x", "/cameras/front.json?from=2026-11-20&to=2026-11-22",
    "/cameras/front.m3u8?from=2026-11-20&to=2026-11-20T12:00:00Z",
    "/cameras/front.mp4?from=2026-11-20T13:00:00Z&to=now",
    "/cameras/front.mp4?from=2026-11-20T12:00:00Z&to=2026-11-20T12:00:10Z",
    "/recordings/\(RobotScene.good).json", "/recordings/\(RobotScene.good).m3u8",
    "/recordings/\(RobotScene.broken).raw", "/recordings/\(RobotScene.broken).mp4",
  ]

  /// The endings of targets after the name of a recording or a camera.
  private static let ofRecording = [
    ".json", ".mp4", ".mp4?v=TAG", ".mp4?keyframe=1", ".mp4?start=0&end=1", ".mp4?keys=1", ".m3u8", ".media.m3u8",
    ".iframes.m3u8", ".index", ".manifest", ".raw",
  ]
  private static let ofCamera = [
    ".json?from=2026-11-20&to=2026-11-22", ".json?rows=0", ".m3u8?from=2026-11-20&to=2026-11-20T12:00:00Z",
    ".mp4?from=2026-11-20T10:15:30Z&to=2026-11-20T10:15:32Z", ".mp4?from=2026-11-20&to=2026-11-22",
  ]

  private static let restricted = ["front", "support", "changer", "stranger"]

  /// Returns everything that a viewer receives as text: status, fields and content.
  private func text(
    _ scene: RobotScene, _ method: String, _ target: String, _ viewer: String
  ) async throws -> String {
    let connection = HeldRequest(client: viewer)
    if method == "POST" { connection.body = Self.span }
    let fields =
      method == "POST" ? "Content-Type: application/json\r\nContent-Length: \(Self.span.count)" : ""
    let answer = try await scene.ask(target, method: method, fields, over: connection)
    let bytes = answer.body == nil ? answer.bytes : try await scene.bytes(of: answer.body)
    let head = answer.fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
    return "\(answer.status)\n\(answer.mediaType)\n\(head)\n\(String(decoding: bytes, as: UTF8.self))"
  }

  @Test func `nothing that a viewer is told has the name of a camera that it may not see`() async throws {
    let scene = try brokenScene()
    let health = try await text(scene, "GET", "/health", "all")
    #expect(health.contains("offload-missing") && health.contains(Self.secret))
    for viewer in Self.restricted {
      for target in Self.ofEverybody {
        for method in ["GET", "HEAD", "PUT", "OPTIONS"] {
          let answer = try await text(scene, method, target, viewer)
          #expect(!answer.contains(Self.secret), "\(viewer): \(method) \(target): \(answer)")
        }
      }
    }
  }

  @Test func `a camera that is hidden and one that is not there are answered alike, whatever is asked`() async throws {
    let scene = try brokenScene()
    let tag = try scene.tag("\(Self.secret)/2026-11-20T10-15-30")
    // A name of the same length without any recording.
    let absent = "plugh"
    var asked: [(method: String, target: String)] = []
    let names = [
      "NAME/2026-11-20T10-15-30", "NAME/2026-11-20T11-15-30", "NAME/broken", "NAMElate/2026-11-20T10-15-30",
    ]
    for view in Self.ofRecording {
      for name in names {
        for method in ["GET", "HEAD"] { asked.append((method, "/recordings/\(name)\(view)")) }
      }
    }
    for method in ["PUT", "DELETE", "GET"] { asked.append((method, "/recordings/NAME/2026-11-20T10-15-30.keep")) }
    for view in Self.ofCamera { asked.append(("GET", "/cameras/NAME\(view)")) }
    for action in ["keep", "release"] { asked.append(("POST", "/cameras/NAME.\(action)")) }
    for query in ["camera=NAME", "camera=NAME&state=refused"] { asked.append(("GET", "/recordings?\(query)")) }
    for viewer in Self.restricted {
      for (method, target) in asked {
        let target = target.replacing("TAG", with: tag)
        let hidden = try await text(scene, method, target.replacing("NAME", with: Self.secret), viewer)
        let missing = try await text(scene, method, target.replacing("NAME", with: absent), viewer)
        #expect(
          hidden.replacing(Self.secret, with: absent) == missing, "\(viewer): \(method) \(target): \(hidden)")
      }
    }
  }

  @Test func `what is wrong with a viewer's cameras is told in words, and with the robot by codes`() async throws {
    let scene = try brokenScene()
    let whole = try await scene.json("/health", over: HeldRequest(client: "all"))
    let own = try await scene.json("/health", over: HeldRequest(client: "front"))
    func texts(_ json: JSONValue, _ code: String) -> [String] {
      (json["reasons"]?.array ?? []).filter { $0["code"]?.string == code }.compactMap { $0["text"]?.string }
    }
    for code in ["offload-missing", "offload-foreign", "offload-record", "certificates-unusable"] {
      #expect(texts(whole, code).contains { $0.contains(Self.secret) }, "\(code)")
      #expect(texts(own, code) == ["\(code): viewers who may see all cameras get the details."])
    }
    #expect(own["status"]?.string == whole["status"]?.string)
    #expect(texts(own, "refused-lately").contains { $0.contains(RobotScene.broken) })
  }

  // MARK: Pages of other origins

  nonisolated private static let costly = [
    "/recordings", "/cameras", "/cameras/front.json", "/cameras/front.m3u8?from=2026-11-20&to=2026-11-20T12:00:00Z",
    "/cameras/front.mp4?from=2026-11-20T10:15:30Z&to=2026-11-20T10:15:32Z",
    "/recordings/\(RobotScene.good).mp4?keyframe=1", "/recordings/\(RobotScene.good).mp4?start=0&end=1",
    "/recordings/\(RobotScene.good).mp4?keys=1", "/recordings/\(RobotScene.good).m3u8",
    "/recordings/\(RobotScene.good).media.m3u8", "/recordings/\(RobotScene.good).index",
    "/recordings/\(RobotScene.good).manifest", "/recordings/none.manifest",
  ]

  nonisolated private static let loads: [(fields: [String], isRefused: Bool)] = [
    ([], false), (["Sec-Fetch-Site: same-origin"], false), (["Sec-Fetch-Site: none"], false),
    (["Sec-Fetch-Site: cross-site"], true), (["Sec-Fetch-Site: same-site"], true),
    (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"], true),
    (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], true),
    (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: document"], true),
    (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"], false),
    (
      [
        "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document",
        "Sec-Purpose: prefetch;prerender",
      ], true
    ),
    (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://evil.example"], true),
    (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://dash.example"], false),
    (["Origin: https://evil.example"], false),
  ]

  @Test(arguments: loads)
  func `a page of another origin loads no lists and views, unless it may or somebody followed a link`(
    fields: [String], isRefused: Bool
  ) async throws {
    let scene = try RobotScene(rules: Self.conf, origins: ["https://dash.example"])
    for target in Self.costly {
      let answer = try await scene.ask(target, fields.joined(separator: "\r\n"), over: Viewer.all.connection)
      #expect((answer.code == "foreign-origin") == isRefused, "\(target): \(answer.code ?? "")")
      if isRefused { #expect(answer.status == 403) }
    }
    // Open targets that are not to be embedded are answered, and their fields say so.
    for target in ["/", "/health?live", "/recordings/\(RobotScene.good).json", "/recordings/\(RobotScene.good).mp4"] {
      let answer = try await scene.ask(target, fields.joined(separator: "\r\n"), over: Viewer.all.connection)
      #expect(answer.status == 200, "\(target)")
    }
  }

  // MARK: Resources that need a right

  @Test(arguments: Viewer.allCases)
  func `a refused file is given as it is to whoever may see how the robot is`(viewer: Viewer) async throws {
    let scene = try scene(for: viewer)
    let cases: [(name: String, camera: String?, code: String?)] = [
      (RobotScene.broken, "front", nil), (RobotScene.good, "front", "no-such-view"),
      (RobotScene.growing, "rear", "no-such-view"), (Self.loose, nil, "no-such-view"), ("none", nil, "not-found"),
    ]
    for (name, camera, code) in cases {
      let answer = try await scene.ask("/recordings/\(name).raw", over: viewer.connection)
      if viewer == .free || !Self.sees(viewer, camera) || name == "none" {
        #expect(answer.status == 404 && answer.code == "not-found", "\(viewer) \(name)")
      } else if ![.all, .support].contains(viewer) {
        #expect(answer.status == 403 && answer.code == "not-permitted", "\(viewer) \(name)")
      } else {
        #expect(answer.code == code && answer.status == (code == nil ? 200 : 404), "\(viewer) \(name)")
        guard code == nil else { continue }
        #expect(try await scene.bytes(of: answer.body) == Array("this is no recording".utf8))
        #expect(answer.mediaType == "application/octet-stream")
        #expect(
          answer.fields["Content-Disposition"] == #"attachment; filename="broken.mp4"; filename*=UTF-8''broken.mp4"#)
        let tag = try #require(answer.fields["ETag"])
        let again = try await scene.ask(
          "/recordings/\(name).raw", "If-None-Match: \(tag)", over: viewer.connection)
        #expect(again.status == 304)
      }
    }
  }

  private static let span = Array(#"{"from": "2026-11-20T00:00:00Z", "to": 1795305600}"#.utf8)

  private static let changes: [(method: String, target: String, camera: String?, right: String)] = [
    ("PUT", "/recordings/\(RobotScene.good).keep", "front", "keep"),
    ("DELETE", "/recordings/\(RobotScene.good).keep", "front", "release"),
    ("POST", "/cameras/front.keep", "front", "keep"), ("POST", "/cameras/front.release", "front", "release"),
    ("PUT", "/recordings/\(loose).keep", nil, "keep"), ("DELETE", "/recordings/\(loose).keep", nil, "release"),
    ("PUT", "/recordings/\(RobotScene.growing).keep", "rear", "keep"),
  ]

  private func change(
    _ scene: RobotScene, _ method: String, _ target: String, _ fields: String..., body: [UInt8]? = span,
    over connection: HeldRequest
  ) async throws -> RobotScene.Answer {
    guard method == "POST", let body else {
      return try await scene.ask(target, method: method, fields.joined(separator: "\r\n"), over: connection)
    }
    connection.body = body
    let type = fields.contains { $0.hasPrefix("Content-Type") } ? "" : "Content-Type: application/json"
    return try await scene.ask(
      target, method: method, type, "Content-Length: \(body.count)", fields.joined(separator: "\r\n"), over: connection)
  }

  private func isKept(_ scene: RobotScene, _ name: String) async throws -> Bool {
    scene.publish()
    return try await scene.json("/recordings/\(name).json", over: Viewer.all.connection)["kept"]?.bool ?? false
  }

  @Test(arguments: Viewer.allCases)
  func `only who has the right protects and releases, and only what they may see`(viewer: Viewer) async throws {
    let scene = try scene(for: viewer)
    let may: [Viewer: [String]] = [.all: ["keep", "release"], .rear: ["keep"]]
    for (method, target, camera, right) in Self.changes {
      let answer = try await change(scene, method, target, over: viewer.connection)
      if !Self.sees(viewer, camera) {
        #expect(answer.status == 404 && answer.code == "not-found", "\(viewer) \(method) \(target)")
      } else if may[viewer]?.contains(right) ?? false {
        #expect(answer.status == 204, "\(viewer) \(method) \(target): \(answer.detail ?? "")")
      } else {
        #expect(answer.status == 403 && answer.code == "not-permitted", "\(viewer) \(method) \(target)")
      }
    }
    let count = viewer == .all ? 7 : viewer == .rear ? 1 : 0
    let lines = try await eventually("\(count) lines") { () async -> [String]? in
      let lines = scene.log.all.filter { $0.contains("protected") || $0.contains("released") }
      return lines.count >= count ? lines : nil
    }
    #expect(lines.count == count, "\(lines)")
    if viewer == .all {
      #expect(lines[0] == "<6>audit: \"all\" (192.0.2.7) protected \(RobotScene.good)\n", "\(lines[0])")
      #expect(lines[2].contains("protected 1 recordings of front from 2026-11-20T00:00:00"), "\(lines[2])")
    }
  }

  @Test func `what is protected is listed so, until it is released`() async throws {
    let scene = try scene(for: .all)
    for (keep, release) in [(Self.changes[0], Self.changes[1]), (Self.changes[2], Self.changes[3])] {
      #expect(try await !isKept(scene, RobotScene.good))
      for _ in 0..<2 {
        #expect(try await change(scene, keep.method, keep.target, over: Viewer.all.connection).status == 204)
        #expect(try await isKept(scene, RobotScene.good))
      }
      for _ in 0..<2 {
        #expect(try await change(scene, release.method, release.target, over: Viewer.all.connection).status == 204)
        #expect(try await !isKept(scene, RobotScene.good))
      }
    }
  }

  nonisolated private static let sources: [(fields: [String], isForeign: Bool)] = [
    ([], false), (["Origin: https://robot"], false), (["Origin: https://robot:443"], false),
    (["Origin: https://ROBOT"], false), (["Origin: https://robot", "Sec-Fetch-Site: same-origin"], false),
    (["Sec-Fetch-Site: none"], false), (["Origin: https://evil.example"], true), (["Origin: null"], true),
    (["Origin: http://robot"], true), (["Origin: https://robot:8443"], true), (["Origin:"], true),
    (["Origin: https://robot", "Origin: https://robot"], true), (["Sec-Fetch-Site: cross-site"], true),
    (["Sec-Fetch-Site: same-site"], true), (["Origin: https://robot", "Sec-Fetch-Site: cross-site"], true),
    (["Origin: https://dash.example"], true),
  ]

  @Test(arguments: sources)
  func `a page of another origin changes nothing, with whatever certificate`(
    fields: [String], isForeign: Bool
  ) async throws {
    let scene = try RobotScene(rules: Self.conf, origins: ["https://dash.example"])
    for (method, target, _, _) in Self.changes[..<4] {
      let answer = try await change(
        scene, method, target, fields.joined(separator: "\r\n"), over: Viewer.all.connection)
      #expect(answer.status == (isForeign ? 403 : 204), "\(method) \(target): \(answer.detail ?? "")")
      #expect(answer.code == (isForeign ? "foreign-origin" : nil))
    }
  }

  nonisolated private static let bodies: [(type: String, body: String, status: Int, code: String?)] = [
    ("application/json", #"{"from": 1795132800.5, "to": "2026-11-22T00:00:00.5+01:00"}"#, 204, nil),
    ("Application/JSON; charset=utf-8", #"{"from": "2026-11-20", "to": "2026-11-22"}"#, 204, nil),
    ("text/plain", #"{"from": "2026-11-20", "to": "2026-11-22"}"#, 415, "not-json"),
    ("", #"{"from": "2026-11-20", "to": "2026-11-22"}"#, 415, "not-json"),
    ("application/json", "from=1", 400, "bad-body"), ("application/json", #"{"from": "2026-11-20"}"#, 400, "bad-body"),
    ("application/json", #"{"from": "2026-11-22", "to": "2026-11-20"}"#, 400, "bad-body"),
    ("application/json", #"{"from": -1, "to": 1e300}"#, 400, "bad-body"),
    ("application/json", #"{"from": "1999-11-20", "to": "1999-11-22"}"#, 404, "not-found"),
  ]

  @Test(arguments: bodies)
  func `a camera's time comes as JSON`(type: String, body: String, status: Int, code: String?) async throws {
    let scene = try scene(for: .all)
    let answer = try await change(
      scene, "POST", "/cameras/front.keep", "Content-Type: \(type)", body: Array(body.utf8),
      over: Viewer.all.connection)
    #expect(answer.status == status && answer.code == code, "\(answer.detail ?? "")")
  }

  // MARK: New rules

  @Test func `new rules hold for the next request of a connection that is open, and for open files`() async throws {
    let scene = try scene(for: .front)
    let (front, rear) = (Viewer.front.connection, Viewer.rear.connection)
    let target = "/recordings/\(RobotScene.good).mp4"
    #expect(try await scene.ask(target, over: front).status == 200)
    #expect(try scene.atOnce(target, over: front) != nil && scene.atOnce(target, over: rear) == nil)
    try scene.change(to: "front cameras=rear\nrear cameras=front")
    #expect(try scene.atOnce(target, over: front) == nil && scene.atOnce(target, over: rear) != nil)
    #expect(try await scene.ask(target, over: front).code == "not-found")
    #expect(try await scene.ask(target, over: rear).status == 200)
    // A recording that is not open is hidden, too.
    try scene.change(to: "")
    #expect(try await scene.ask(target, over: rear).code == "not-found")
  }

  @Test func `rules that come after newer ones give nobody anything back`() async throws {
    let control = AccessControl(try ViewerRules(Array("front cameras=*".utf8)))
    let connection = Viewer.front.connection
    let (first, second) = try (ViewerRules(Array("front cameras=rear".utf8)), ViewerRules([]))
    #expect(control.update(to: second, generation: 2))
    for generation in [1, 2] as [UInt64] { #expect(!control.update(to: first, generation: generation)) }
    #expect(control.access(over: connection) == .viewer(.none))
    #expect(control.update(to: first, generation: 3))
    #expect(control.access(over: connection).cameras.contains(camera: "rear"))
  }

  @Test func `a request that waits for news is answered by the rules of that moment`() async throws {
    let scene = try scene(for: .front)
    for target in ["/recordings", "/cameras"] {
      let connection = Viewer.front.connection
      let tag = try #require(try await scene.ask(target, over: connection).fields["ETag"])
      let waiting = Task {
        try await scene.json(target, "If-None-Match: \(tag)", "Prefer: wait=60", over: connection)
      }
      await connection.waitUntilHeld()
      // These changes do not concern the viewer, so its request is not answered.
      try scene.change(to: Self.conf + "\nlate cameras=*")
      await connection.waitUntilHeld(2)
      try scene.change(to: "front cameras=front status")
      let answer = try await waiting.value
      #expect(answer["may"]?.array?.compactMap(\.string) == ["status"])
      try scene.change(to: Self.conf)
    }
  }

  @Test func `rights are looked up once a connection, and again when the rules have changed`() throws {
    let control = AccessControl(try ViewerRules(Array("front cameras=front".utf8)))
    let connection = Viewer.front.connection
    let first = control.access(over: connection)
    let note = try #require(connection.note)
    #expect(control.access(over: connection) == first && connection.note === note)
    #expect(control.update(to: try ViewerRules(Array("front cameras=front keep".utf8)), generation: 1))
    #expect(control.access(over: connection).words == ["keep"] && connection.note !== note)
    let open = AccessControl(nil)
    let other = Viewer.front.connection
    #expect(open.isOpen && open.access(over: other) == .everything && other.note == nil)
  }
}
