/// A page of another origin in a real browser, with a robot that allows it access and with one that does not.

import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct CrossOriginTests {
  private static let name = "front/2026-03-04T05-06-07"

  /// Opens a page of another origin, and waits until the robot lists the recording.
  ///
  /// - Parameter client: the client whose certificate the robot asks for; nil if it asks for none.
  private func play(
    isAllowed: Bool, as client: String? = nil, _ test: (Scene, String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    // Only the origin of the page matters, not its content, so any answer of another server will do.
    let other = try await ServerUnderTest(in: URL(filePath: folder.location))
    let origin = "https://127.0.0.1:\(other.address.port ?? 0)"
    do {
      let arguments =
        (isAllowed ? ["--allow-origin", origin] : []) + (client == nil ? [] : ["--client-auth", "require"])
      try await Scene.play(isQuiet: false, arguments: arguments) { scene in
        try await scene.record(Self.name)
        let server = scene.server.address.port ?? 0
        let relay = try client.map { try CertificateRelay(to: server, certs: try Fixtures.certs(), client: $0) }
        try await scene.visit(port: relay?.port)
        try await scene.waitForRow(Self.name)
        let page = try #require(URL(string: origin + "/health"))
        try await scene.browser.open(page)
        try await test(scene, "https://127.0.0.1:\(relay?.port ?? server)")
        withExtendedLifetime(relay) {}
      }
    } catch {
      await other.stop()
      throw error
    }
    await other.stop()
  }

  /// Returns what a script of the page receives, as text; the error's name if it receives nothing.
  private func fetched(_ scene: Scene, _ url: String, _ options: String, _ answer: String) async throws -> String {
    try await scene.browser.run(
      """
      try {
        const response = await fetch(arguments[0], {credentials: 'include', ...\(options)});
        return String(await (async () => (\(answer)))());
      } catch (error) { return error.name; }
      """, .string(url)
    ).string ?? ""
  }

  /// Returns true if a recording plays in an element of the page.
  private func plays(_ scene: Scene, _ url: String, with attribute: String) async throws -> Bool {
    try await scene.browser.run(
      """
      const video = document.createElement('video');
      \(attribute)
      video.muted = true;
      document.body.append(video);
      const end = new Promise(resolve => {
        video.onerror = () => resolve(false);
        video.ontimeupdate = () => { if (video.currentTime > 0.2) resolve(video.videoWidth > 0); };
      });
      video.src = arguments[0];
      video.play().catch(() => {});
      return await end;
      """, .string(url)
    ).isTrue
  }

  private static let withCredentials = "video.crossOrigin = 'use-credentials';"

  @Test func `a page of an allowed origin lists and plays, and changes nothing`() async throws {
    try await play(isAllowed: true) { scene, robot in
      let list = robot + "/recordings", movie = robot + "/recordings/\(Self.name).mp4"
      #expect(try await fetched(scene, list, "{}", "(await response.json()).recordings[0].name") == Self.name)
      // This needs a preflight, which this robot answers with and without a certificate.
      let tag = try await fetched(scene, list, "{}", "response.headers.get('ETag')")
      #expect(tag.hasPrefix("\""))
      let same = "{cache: 'no-store', headers: {'If-None-Match': '\(tag)', 'Prefer': 'wait=1'}}"
      #expect(try await fetched(scene, list, same, "response.status") == "304")
      let part = "{headers: {Range: 'bytes=0-1'}}"
      let words = "`${response.status} ${response.headers.get('Content-Range').replace(/[0-9]+$/, 'N')}`"
      #expect(try await fetched(scene, movie, part, words) == "206 bytes 0-1/N")
      #expect(try await plays(scene, movie, with: Self.withCredentials))
      for method in ["PUT", "DELETE"] {
        let keep = robot + "/recordings/\(Self.name).keep"
        #expect(try await fetched(scene, keep, "{method: '\(method)'}", "response.status") == "TypeError")
      }
    }
  }

  @Test func `where a certificate is required a page of an allowed origin gets what needs no preflight`() async throws {
    try await play(isAllowed: true, as: "alice") { scene, robot in
      let list = robot + "/recordings", movie = robot + "/recordings/\(Self.name).mp4"
      let listed = try await fetched(scene, list, "{}", "(await response.json()).recordings[0].name")
      #expect(listed == Self.name)
      #expect(try await fetched(scene, movie, "{headers: {Range: 'bytes=0-1'}}", "response.status") == "206")
      #expect(try await plays(scene, movie, with: Self.withCredentials))
      // A request that needs a preflight is preceded by one without the certificate.
      let tag = "{cache: 'no-store', headers: {'If-None-Match': '\"x\"'}}"
      #expect(try await fetched(scene, list, tag, "response.status") == "TypeError")
      #expect(scene.server.log.contains("\"OPTIONS /recordings\" 403 "), "\(scene.server.log)")
    }
  }

  @Test func `a page of any other origin gets nothing, neither to read nor to embed`() async throws {
    try await play(isAllowed: false) { scene, robot in
      let list = robot + "/recordings", movie = robot + "/recordings/\(Self.name).mp4"
      for target in [list, movie] {
        let answer = try await fetched(scene, target, "{}", "response.status")
        #expect(answer == "TypeError", "\(target)")
      }
      for attribute in [Self.withCredentials, ""] {
        let isPlayed = try await plays(scene, movie, with: attribute)
        #expect(!isPlayed)
      }
    }
  }
}
