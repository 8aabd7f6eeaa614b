import FootageAnswers
import FootageHTTP
import FootageServing
import LinuxTestSupport
import Testing

@testable import FootageServer

/// Every resource with every method, as the handler answers without a connection.
@MainActor
@Suite struct RouteTests {
  nonisolated private static let good = "/recordings/\(RobotScene.good)"

  /// Targets with their types and cache control. `TAG` stands for the version of the good recording.
  nonisolated private static let resources: [(target: String, mediaType: String, cacheControl: String)] = [
    ("/", "text/html; charset=utf-8", "no-cache"), ("/health", "application/json", "no-cache"),
    ("/metrics", "text/plain; version=0.0.4; charset=utf-8", "no-cache"),
    ("/recordings", "application/json", "no-cache"),
    ("/recordings?camera=front&limit=1", "application/json", "no-cache"),
    ("/cameras", "application/json", "no-cache"),
    ("/cameras/front.json?from=1795132800&to=1795219200&rows=0", "application/json", "no-cache"),
    ("/recordings/\(RobotScene.good).json", "application/json", "no-cache"),
    ("/recordings/\(RobotScene.broken).json", "application/json", "no-cache"),
    ("/recordings/\(RobotScene.growing).json", "application/json", "no-cache"),
    ("/recordings/\(RobotScene.good).mp4", "video/mp4", "no-cache"),
    ("/recordings/\(RobotScene.good).mp4?v=TAG", "video/mp4", "max-age=31536000, immutable"),
    ("/recordings/\(RobotScene.good).mp4?keyframe=1", "video/mp4", "no-cache"),
    ("/recordings/\(RobotScene.good).mp4?keyframe=1&v=TAG", "video/mp4", "max-age=31536000, immutable"),
  ]

  @Test func `GET and HEAD show every resource, and all of them but one are conditional`() async throws {
    let scene = try RobotScene()
    let tag = try scene.tag(RobotScene.good)
    for (target, mediaType, cacheControl) in Self.resources {
      let target = target.replacing("TAG", with: tag)
      for method in ["GET", "HEAD"] {
        let answer = try await scene.ask(target, method: method)
        #expect(answer.status == 200, "\(method) \(target)")
        #expect(answer.mediaType == mediaType && answer.fields["Cache-Control"] == cacheControl, "\(method) \(target)")
        // A momentary state has no version.
        guard target != "/health" && target != "/metrics" else {
          #expect(answer.body == nil)
          continue
        }
        let entityTag = try #require(answer.fields["ETag"])
        #expect(entityTag.hasPrefix("\""), "\(target): a weak tag")
        #expect(try await scene.ask(target, method: method, "If-None-Match: \(entityTag)").status == 304)
        #expect(try await scene.ask(target, method: method, "If-Match: \"other\"").status == 412)
      }
    }
  }

  @Test func `OPTIONS tells the methods, and what would change something is not allowed`() async throws {
    let scene = try RobotScene()
    for (target, _, _) in Self.resources {
      let options = try await scene.ask(target, method: "OPTIONS")
      #expect(options.status == 204 && options.fields["Allow"] == "GET, HEAD, OPTIONS")
      for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE"] {
        let answer = try await scene.ask(target, method: method)
        #expect(answer.status == 405 && answer.code == "method-not-allowed", "\(method) \(target)")
        #expect(answer.fields["Allow"] == "GET, HEAD, OPTIONS" && answer.mediaType == "application/problem+json")
      }
      let unknown = try await scene.ask(target, method: "BREW")
      #expect(unknown.status == 501 && unknown.code == "unknown-method", "\(target)")
    }
  }

  @Test func `a page of an allowed origin is told how to read, and of nothing that it could change`() async throws {
    let scene = try RobotScene(origins: ["https://dash.example"])
    let origin = "Origin: https://dash.example"
    for (target, _, _) in Self.resources {
      let options = try await scene.ask(target, method: "OPTIONS", origin)
      #expect(options.fields["Access-Control-Allow-Methods"] == "GET, HEAD", "\(target)")
    }
    for (target, _, _) in Self.changing {
      let options = try await scene.ask(target, method: "OPTIONS", origin)
      #expect(options.status == 204 && Array(options.fields.keys) == ["Allow"], "\(target)")
    }
  }

  nonisolated private static let changing: [(target: String, methods: Set<String>, allowed: String)] = [
    ("\(good).keep", ["PUT", "DELETE"], "PUT, DELETE, OPTIONS"),
    ("/cameras/front.keep", ["POST"], "POST, OPTIONS"), ("/cameras/front.release", ["POST"], "POST, OPTIONS"),
    ("/cameras/.keep", ["POST"], "POST, OPTIONS"),
  ]

  @Test func `what is there to be changed has its own methods, and is not to be read`() async throws {
    let scene = try RobotScene()
    for (target, methods, allowed) in Self.changing {
      for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE"] where !methods.contains(method) {
        let answer = try await scene.ask(target, method: method)
        #expect(answer.status == 405 && answer.fields["Allow"] == allowed, "\(method) \(target)")
      }
      let options = try await scene.ask(target, method: "OPTIONS")
      #expect(options.status == 204 && options.fields == ["Allow": allowed])
    }
  }

  nonisolated private static let refused: [(target: String, status: Int, code: String)] = [
    ("/nothing", 404, "not-found"), ("/cameras/front", 404, "not-found"), ("/cameras/a/b.keep", 404, "not-found"),
    ("/recordings/front/broken.raw", 404, "not-found"), ("\(good).raw", 404, "not-found"),
    ("/recordings/", 404, "not-found"), ("/recordings/none.mp4", 404, "not-found"),
    ("/recordings/none.json", 404, "not-found"), ("/recordings/none.mp4?keyframe=1", 404, "not-found"),
    ("/recordings/front/../broken.json", 404, "not-found"), ("/recordings/.footage/catalog.mp4", 404, "not-found"),
    ("/recordings/front/broken.mp4", 404, "refused"), ("/recordings/front/broken.mp4?keyframe=1", 404, "refused"),
    ("/recordings/rear/growing.mp4", 404, "not-ready"), ("/recordings/rear/growing.mp4?keyframe=1", 404, "not-ready"),
    ("\(good).mp4?v=0000000000000000", 404, "gone"), ("\(good).mp4?keyframe=1&v=0000000000000000", 404, "gone"),
    ("\(good).mp4?keyframe=x", 400, "bad-query"), ("\(good).mp4?keyframe=1&keyframe=2", 400, "bad-query"),
    ("\(good).mp4?from=1", 400, "bad-query"), ("\(good).mp4?start=1&end=1", 400, "bad-query"),
    ("\(good).mp4?speed=2", 400, "bad-query"), ("/recordings?limit=0", 400, "bad-query"),
    ("/recordings?state=lost", 400, "bad-query"), ("/recordings?since=soon", 400, "bad-query"),
    ("/cameras/front.mp4", 400, "bad-query"), ("/cameras/front.json?from=2&to=1", 400, "bad-query"),
    ("/cameras/front.m3u8?from=never", 400, "bad-query"), ("/hls/0/init.mp4", 404, "not-found"),
    ("/hls/0011223344556677/01.m4s", 404, "not-found"),
    ("/hls/0011223344556677/next?after=x", 400, "bad-query"), ("/recordings?after=x", 400, "bad-query"),
    ("/recordings?camera=%", 400, "bad-query"),
  ]

  @Test func `what cannot be shown is told with its status and its code, and kept by nobody`() async throws {
    let scene = try RobotScene()
    for (target, status, code) in Self.refused {
      let answer = try await scene.ask(target)
      #expect(answer.status == status && answer.code == code, "\(target)")
      #expect(answer.mediaType == "application/problem+json" && answer.fields["Cache-Control"] == "no-store")
    }
  }

  @Test func `a refusal says why`() async throws {
    let scene = try RobotScene()
    let reasons: [(ResponseRefusal, Int, String)] = [
      (.preconditionFailed, 412, "precondition-failed"),
      (.rangeNotSatisfiable(length: 7), 416, "range-not-satisfiable"),
      (.bodyFailed(.changed("x")), 503, "changed"), (.certificateRequired(nil), 403, "certificate-required"),
    ]
    for (refusal, status, code) in reasons {
      let document = scene.handler.document(for: refusal)
      #expect(document.status.code == status)
      #expect(String(decoding: document.bytes, as: UTF8.self).contains("\"code\":\"\(code)\""))
    }
    let plain = scene.handler.document(for: .needsTLS(authority: "robot7:8443"))
    #expect(plain.status.code == 400 && plain.mediaType == "text/plain; charset=utf-8")
    #expect(String(decoding: plain.bytes, as: UTF8.self).contains("https://robot7:8443/"))
  }

  @Test func `a version is the recording's for ever, until it is another one`() async throws {
    let scene = try RobotScene()
    let tag = try scene.tag(RobotScene.good)
    let target = "\(Self.good).mp4?v=\(tag)"
    #expect(try await scene.ask(target).status == 200)
    try scene.add(RobotScene.good, Samples.other, age: 1_800)
    scene.publish()
    #expect(try await scene.ask(target).code == "gone")
    #expect(try await scene.ask("\(Self.good).mp4").status == 200)
  }

  @Test func `a key frame that nothing can decode alone is none, and others of its recording are shown`() async throws {
    let scene = try RobotScene()
    try scene.add("front/once", Samples.parameterSetsOnce)
    scene.publish()
    #expect(try await scene.ask("/recordings/front/once.mp4").status == 200)
    for _ in 0..<2 {
      let answer = try await scene.ask("/recordings/front/once.mp4?keyframe=1.25")
      #expect(answer.status == 404 && answer.code == "no-such-view")
      #expect(try await scene.ask("/recordings/front/once.mp4?keyframe=0").status == 200)
    }
  }

  @Test func `a key frame is one sample of its recording, with a tag of its own`() async throws {
    let scene = try RobotScene()
    let whole = try await scene.ask("\(Self.good).mp4")
    let frame = try await scene.ask("\(Self.good).mp4?keyframe=1")
    let tag = try scene.tag(RobotScene.good)
    #expect(frame.fields["ETag"] != whole.fields["ETag"] && frame.fields["ETag"]?.hasPrefix("\"\(tag)") == true)
    let (all, one) = (try await scene.bytes(of: whole.body), try await scene.bytes(of: frame.body))
    #expect(one.count < all.count && one.count > 100)
    #expect(Array(one[4..<8]) == Array("ftyp".utf8))
    // It is made again each time: none of it is kept open.
    #expect(try scene.atOnce("\(Self.good).mp4?keyframe=1") == nil)
  }
}
