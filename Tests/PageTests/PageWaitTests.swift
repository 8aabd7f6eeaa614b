import FootageBase
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

/// The cost of a page that is open while nothing happens, and its way of polling without constant requests.
@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct PageWaitTests {
  /// Opens a page whose list has arrived and has been waited for once. `window.asked` counts its requests.
  private func visit(_ scene: Scene, port: Int? = nil, fetch: String = "plain(path, options)") async throws {
    try await scene.visit(port: port)
    try await scene.browser.run(
      """
      window.asked = 0;
      const plain = window.fetch;
      window.fetch = async (path, options) => { window.asked += 1; return \(fetch); };
      """)
  }

  /// Shortens the page's waits to this number of milliseconds, instead of minutes.
  private func shorten(to milliseconds: Int, in scene: Scene) async throws {
    try await scene.browser.run(
      "window.wait = $footage.pace.wait; $footage.pace.wait = arguments[0]; $footage.watching.wake()",
      .number(of: Double(milliseconds)))
  }

  private func waitUntilHeld(_ scene: Scene) async throws {
    try await scene.browser.wait(for: "a request that waits", "return Boolean($footage.watching.hold)")
  }

  private func asked(_ scene: Scene) async throws -> Double {
    try await scene.browser.run("return window.asked").double ?? 0
  }

  @Test func `open while nothing happens it costs less than 50 kB an hour, and no line in the log`() async throws {
    let byteCount = Counter()
    try await Scene.play(isQuiet: false) { scene in
      for name in ["front/one", "front/two", "rear/three"] { try await scene.record(name, seconds: 2) }
      let relay = try Relay(
        to: scene.server.address.port ?? 0, onBytes: { byteCount.add($0.count) }, onSent: { byteCount.add($0.count) }
      ) { _ in [.passAll] }
      try await visit(scene, port: relay.port)
      for name in ["front/one", "front/two", "rear/three"] { try await scene.waitForRow(name) }
      try await shorten(to: 3_000, in: scene)
      try await waitUntilHeld(scene)
      // The interval from one waiting request to the second one after it has as many answers as requests.
      let (first, before) = (try await asked(scene), byteCount.value)
      let lines = scene.server.log.matches(of: /"GET \/cameras/).count
      try await scene.browser.wait(
        for: "two waits", "return window.asked >= arguments[0] + 2 && Boolean($footage.watching.hold)",
        .number(of: first))
      let waits = try await asked(scene) - first
      // Includes the TCP segments of request and answer, their acknowledgements, and the headers of IPv6 and TCP.
      let bytesPerWait = Double(byteCount.value - before) / waits + 4 * 72
      #expect(scene.server.log.matches(of: /"GET \/cameras/).count == lines)
      // The time of each wait, and the pause after it.
      let seconds = try await scene.browser.run("return (window.wait + $footage.pace.news) / 1000").double ?? 0
      let bytesPerHour = 3_600 / seconds * bytesPerWait
      #expect(bytesPerHour < 50_000, "\(bytesPerWait) bytes a wait of \(seconds) s")
      #expect(bytesPerWait > 500, "nothing was counted")
    }
  }

  @Test func `a hidden page waits for nothing and asks for nothing, and looks when it is seen again`() async throws {
    try await Scene.play { scene in
      try await scene.record("front/first", seconds: 2)
      try await visit(scene)
      try await waitUntilHeld(scene)
      func show(_ isHidden: Bool) async throws {
        try await scene.browser.run(
          """
          Object.defineProperty(document, 'hidden', {value: arguments[0], configurable: true});
          document.dispatchEvent(new Event('visibilitychange', {bubbles: true}));
          """, .bool(isHidden))
      }
      try await show(true)
      try await scene.browser.wait(for: "the end of the wait", "return !$footage.watching.hold")
      let before = try await asked(scene)
      try await scene.record("front/second", seconds: 2)
      // By the browser's clock: longer than any pause of a page that is visible and receives answers.
      try await Task.sleep(for: .seconds(3))
      #expect(try await asked(scene) == before)
      try await show(false)
      try await scene.waitForRow("front/second")
      try await waitUntilHeld(scene)
    }
  }

  /// Robots as they were before they could wait, and before they sent tags.
  @Test(arguments: [
    "plain(path, {...options, headers: {...options.headers, Prefer: ''}})",
    """
    plain(path, {...options, headers: {}}).then(async answer =>
      new Response(await answer.text(), {status: answer.status, headers: {'Content-Type': 'application/json'}}))
    """,
  ])
  func `a robot that does not wait is asked with pauses, and its news are shown`(fetch: String) async throws {
    try await Scene.play { scene in
      try await scene.record("front/first", seconds: 2)
      try await visit(scene, fetch: fetch)
      try await scene.browser.run("$footage.watching.wake()")
      try await scene.waitForRow("front/first")
      let (before, start) = (try await asked(scene), ContinuousClock.now)
      // Six pauses by the browser's clock. The additional time on a busy machine is counted, too.
      try await Task.sleep(for: .seconds(6))
      let asked = try await asked(scene) - before
      let seconds = Double((ContinuousClock.now - start).components.seconds + 1)
      #expect(asked <= seconds, "\(asked) times in \(seconds) s")
      try await scene.record("front/second", seconds: 2)
      try await scene.waitForRow("front/second")
    }
  }
}

/// A counter for any thread.
private final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }
  func add(_ number: Int) { count.wrappingAdd(number, ordering: .relaxed) }
}
