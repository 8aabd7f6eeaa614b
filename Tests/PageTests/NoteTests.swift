import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// The page's notes: which camera they are about, where they are shown, and which camera a typed time plays.
@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct NoteTests {
  private static let moment = "2026-03-04T05-06-07"

  private func play(isQuiet: Bool = true, _ test: (Scene) async throws -> Void) async throws {
    try await Scene.play(isQuiet: isQuiet, zone: "UTC", arguments: ["--name-zone", "UTC"], test)
  }

  private func type(_ text: String, in scene: Scene) async throws {
    try await scene.browser.run(
      """
      const input = document.getElementById('-moment');
      input.value = arguments[0];
      input.form.requestSubmit();
      """, .string(text))
  }

  private func waitForCamera(_ name: String, in scene: Scene) async throws {
    try await scene.browser.wait(
      for: "the camera \(name)",
      "return $player.player.camera?.name === arguments[0] && $player.player.views[0].film.isThere", .string(name))
  }

  @Test func `a typed time plays the camera that has it, and of several the one watched last`() async throws {
    try await play { scene in
      try await scene.record("arm/2026-03-04T09-00-00")
      for camera in ["front", "rear"] { try await scene.record("\(camera)/\(Self.moment)", seconds: 60) }
      try await scene.visit()
      for camera in ["front", "rear"] { try await scene.waitForRow("\(camera)/\(Self.moment)") }
      try await type("2026-03-04 05:06:30", in: scene)
      try await waitForCamera("front", in: scene)
      for (camera, time) in [("rear", "05:06:40"), ("arm", "09:00:05")] {
        try await scene.go(to: camera, "2026-03-04T\(time)Z")
        try await waitForCamera(camera, in: scene)
      }
      try await type("2026-03-04 05:06:35", in: scene)
      try await waitForCamera("rear", in: scene)
      // None has it: the one that is shown stays, and the sentence names it.
      try await type("2026-03-04 04:00", in: scene)
      try await scene.browser.wait(
        for: "words", "return document.getElementById('-note').innerText.startsWith('rear: nothing was recorded at')")
    }
  }

  @Test func `a codec that no browser plays is told in its camera's picture, and what to set`() async throws {
    try await play(isQuiet: false) { scene in
      try await scene.record("front/\(Self.moment)")
      let options = ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=10:duration=20", "-c:v", "mpeg4"]
      try await scene.record("old/\(Self.moment)", made: options)
      try await scene.visit("#front@2026-03-04T05:06:10Z")
      for camera in ["front", "old"] { try await scene.waitForRow("\(camera)/\(Self.moment)") }
      try await waitForCamera("front", in: scene)
      try await scene.browser.click("[id='-beside']")
      try await scene.browser.wait(
        for: "the note", "return $player.player.views[1]?.node.innerText.includes('Set the recorder to H.264 (avc1)')")
      let shown = try await scene.browser.run(
        """
        const [front, old] = $player.player.views;
        return [old.node.innerText.includes('No browser plays mp4v'), front.node.innerText.includes('browser'),
          document.getElementById('-note').hidden, old.node.querySelector('a').getAttribute('href')];
        """)
      #expect(shown == [true, false, true, .string("/recordings/old/\(Self.moment).mp4")])
    }
  }

  @Test func `live of a camera that writes plain MP4 plays the last recording, and says how late that is`() async throws
  {
    try await play { scene in
      try await scene.record("front/\(Self.moment)")
      try await scene.visit("#front@2026-03-04T05:06:20Z")
      try await waitForCamera("front", in: scene)
      try await scene.browser.run("$player.player.goLive()")
      try await waitForCamera("front", in: scene)
      let text = "return document.querySelector('.view').innerText.includes('up to 20 seconds late')"
      #expect(try await scene.browser.run(text).isTrue)
      try await scene.go(to: "front", "2026-03-04T05:06:09Z")
      #expect(try await scene.browser.run(text) == false)
    }
  }

  @Test func `the other zone's time is shown where it differs, and a press changes to it`() async throws {
    try await play { scene in
      try await scene.record("front/\(Self.moment)")
      try await scene.visit("#front@2026-03-04T05:06:10Z")
      try await waitForCamera("front", in: scene)
      func zone(_ name: String) async throws -> [String] {
        let shown = try await scene.browser.run(
          """
          $footage.footage.robot.zone = arguments[0];
          $player.player.tell('time');
          const zone = document.getElementById('-zone');
          return [zone.hidden ? '' : zone.innerText, document.getElementById('-clock').innerText];
          """, .string(name))
        return (shown.array ?? []).compactMap(\.string)
      }
      // The same time by another name.
      #expect(try await zone("Atlantic/Reykjavik").first == "")
      let mine = try await zone("Asia/Shanghai")
      #expect(mine[0].contains("My time · Wed") && mine[0].contains(/0?1:06.*PM at the robot/), "\(mine)")
      #expect(mine[1].contains("5:06"))
      try await scene.browser.click("[id='-zone']")
      let robot = try await zone("Asia/Shanghai")
      #expect(robot[0].contains("Robot’s time") && robot[0].contains(/5:06.*AM here/), "\(robot)")
      #expect(robot[1].contains("1:06"))
    }
  }

  @Test func `health names files that are not MP4, and a camera that is late in its picture`() async throws {
    try await play { scene in
      for camera in ["front", "rear"] { try await scene.record("\(camera)/\(Self.moment)") }
      try await scene.visit("#front@2026-03-04T05:06:10Z")
      try await waitForCamera("front", in: scene)
      #expect(try await scene.browser.run("return document.getElementById('-foreign').textContent") == "")
      try await scene.browser.run(
        """
        const plain = window.fetch;
        window.fetch = (path, options) => path === '/health' ? Promise.resolve(new Response(JSON.stringify({status: 'degraded', reasons: [
          {code: 'camera-late', camera: 'front', text: 'late'}, {code: 'foreign-files', text: '1 file is not MP4: a<b>.mkv'}]})))
          : plain(path, options);
        dispatchEvent(new Event('online'));
        """)
      try await scene.browser.wait(
        for: "the line", "return document.getElementById('-foreign').textContent === '1 file is not MP4: a<b>.mkv'")
      let late =
        "return document.querySelector('.view').innerText.includes('recorded nothing for an unusually long time')"
      try await scene.browser.run("$player.player.tell('time')")
      #expect(try await scene.browser.run(late).isTrue)
      try await scene.go(to: "rear", "2026-03-04T05:06:10Z")
      try await waitForCamera("rear", in: scene)
      try await scene.browser.run("$player.player.tell('time')")
      #expect(try await scene.browser.run(late) == false)
    }
  }
}
