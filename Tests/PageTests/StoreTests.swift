/// A recording that was uploaded into a store, on the page.

import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct StoreTests {
  private static let name = "front/2026-03-04T05-06-07"

  @Test func `it says where it is, and plays when its file is gone`() async throws {
    let store = try FakeObjectStore()
    let folder = try TemporaryFolder()
    try "\(FakeObjectStore.accessKey)\nof-a-test\n"
      .write(toFile: folder.path("key"), atomically: true, encoding: .utf8)
    let arguments = ["--offload", store.address("fleet"), "--offload-key", folder.path("key")]
    try await Scene.play(arguments: arguments) { scene in
      try await scene.record(Self.name)
      func visit(until words: String) async throws {
        try await scene.visit("#" + Self.name)
        try await scene.browser.wait(
          for: words,
          """
          const about = document.getElementById('-about').textContent;
          if (about && !about.includes('\(words)')) location.reload();
          return about.includes('\(words)');
          """)
      }
      try await visit(until: "Also in the store")
      // The page may still be loading what is about to be removed, and would complain.
      try await scene.browser.open(try #require(URL(string: "about:blank")))
      try FileManager.default.removeItem(at: scene.place(of: Self.name))
      // A client that asks before the robot has noticed is told to try again later.
      let details = try #require(
        URL(string: Resource.recording(name: Self.name, .details).target, relativeTo: scene.server.address))
      try await eventually("the robot to see it") { () async throws -> Bool in
        let answer = try await Command("curl", "--silent", "--insecure", details.absoluteString).finished().output
        return try RecordingItem(try #require(JSONValue(Array(answer.utf8)))).place == .store
      }
      try await visit(until: "Only in the store")
      try await scene.browser.run("document.getElementById('-play').click()")
      try await scene.browser.wait(
        for: "a picture from there", "return document.querySelector('video').currentTime > 0")
    }
  }
}
