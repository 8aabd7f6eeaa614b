/// Protection of a recording on the page, for viewers with that right and without it.

import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct KeepTests {
  private static let name = "front/2026-03-04T05-06-07"

  /// Runs a test in which a viewer has the page open with a recording in the player.
  private func play(_ rules: String, as client: String, _ test: (Scene) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let certs = folder.path("certs")
    try Fixtures.copyCertificates(to: certs)
    try rules.write(toFile: certs + "/viewers.conf", atomically: true, encoding: .utf8)
    try await Scene.play(isQuiet: false, certs: certs, arguments: ["--client-auth", "require"]) { scene in
      let relay = try CertificateRelay(to: scene.server.address.port ?? 0, certs: certs, client: client)
      try await scene.record(Self.name)
      try await scene.visit("#" + Self.name, port: relay.port)
      try await scene.waitForRow(Self.name)
      try await scene.browser.wait(
        for: "the player", "return document.getElementById('-about').textContent !== ''")
      try await test(scene)
      withExtendedLifetime(relay) {}
    }
  }

  /// Returns the button as assistive technology sees it; nil if there is none.
  private func button(_ scene: Scene) async throws -> String? {
    try await scene.browser.run(
      """
      const button = document.getElementById('-keep');
      return button.hidden ? null : `${button.ariaLabel} ${button.getAttribute('aria-pressed')}`;
      """
    ).string
  }

  private func wait(_ scene: Scene, for text: String, in condition: String) async throws {
    try await scene.browser.wait(for: text, "return \(condition)")
  }

  @Test func `who may keep and release does both, by mouse and by keyboard, and sees it in the list`() async throws {
    try await play("alice cameras=front keep release\n", as: "alice") { scene in
      try await wait(scene, for: "the button", in: "!document.getElementById('-keep').hidden")
      #expect(try await button(scene) == "Keep false")
      // A poll's result that arrives first must not change the displayed state.
      try await scene.browser.run(
        """
        const {fetch} = window;
        window.fetch = async (...request) => {
          const answer = await fetch(...request);
          if (String(request[0]).endsWith('.keep')) {
            await $footage.footage.cameras[0].refreshAll();
            $footage.footage.tell(null);
          }
          return answer;
        };
        """)
      try await scene.browser.click("[id='-keep']")
      try await wait(
        scene, for: "the words", in: "document.getElementById('-about').textContent.includes('Kept from being deleted')"
      )
      #expect(try await button(scene) == "Keep true")
      try await wait(
        scene, for: "words", in: "document.getElementById('-spoken').textContent === 'Kept from being deleted'")
      #expect(scene.server.log.contains("audit: \"alice\" (127.0.0.1) protected \(Self.name)"))
      for (key, isKept) in [(Key.enter, false), (Key.space, true), (Key.space, false)] {
        try await scene.browser.run("document.getElementById('-keep').focus()")
        try await scene.browser.press(key)
        try await wait(
          scene, for: "\(isKept)", in: "document.getElementById('-keep').getAttribute('aria-pressed') === '\(isKept)'")
        // The button keeps the focus, so that it can be pressed again.
        #expect(try await scene.browser.run("return document.activeElement.id === '-keep'").isTrue)
      }
      try await wait(
        scene, for: "no words", in: "!document.getElementById('-about').textContent.includes('Kept')")
      #expect(scene.server.log.contains("audit: \"alice\" (127.0.0.1) released \(Self.name)"))
      // Everything that a clip is made from.
      try await scene.browser.run(
        """
        const {camera, now} = $player.player;
        Object.assign($clip.clip, {camera, from: now, to: now + 1000});
        $clip.clip.show();
        """)
      try await scene.browser.click("[id='-clip-keep']")
      try await wait(
        scene, for: "the words", in: "document.getElementById('-clip-text').textContent === 'Kept from being deleted'")
      #expect(scene.server.log.matches(of: /"alice" \(127.0.0.1\) protected/).count == 3)
    }
  }

  @Test func `who may only keep has no button any more once that is done, and is told that it is kept`() async throws {
    try await play("bob cameras=* keep\n", as: "bob") { scene in
      try await wait(scene, for: "the button", in: "!document.getElementById('-keep').hidden")
      try await scene.browser.click("[id='-keep']")
      try await wait(scene, for: "no button", in: "document.getElementById('-keep').hidden")
      try await wait(
        scene, for: "words", in: "document.getElementById('-about').textContent.includes('Kept from being deleted')")
    }
  }

  @Test func `who may not has no button, and a robot that refuses is heard`() async throws {
    try await play("bob cameras=front\n", as: "bob") { scene in
      try await wait(scene, for: "the list", in: "document.querySelector('li') !== null")
      #expect(try await button(scene) == nil)
      // As if the right had been withdrawn a moment ago.
      try await scene.browser.run("document.getElementById('-keep').click()")
      try await wait(
        scene, for: "words", in: "document.getElementById('-trouble').textContent.includes('viewers.conf')")
    }
  }
}
