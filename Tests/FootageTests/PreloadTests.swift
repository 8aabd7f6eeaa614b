/// `footage fetch --preload`: the first seconds are in the cache, and nothing else is written.
import FootageCore
import Foundation
import LinuxTestSupport
import Testing

@Suite struct PreloadTests {
  @Test func `the first seconds are fetched into the cache alone`() async throws {
    let server = try Server()
    defer { server.kill() }
    try server.addClip("front/one.mp4")
    try server.waitForState("ready", of: "front/one")
    let desk = try FetchTests.Desk()
    let robot = [
      "--robot", FetchTests.robot(server), "--pin", server.pin, "--cache", desk.path("cache"),
    ]
    let preloaded = try FootageProgram.command(
      ["fetch", "--preload", "2s", "front/one"] + robot, environment: ["XDG_CONFIG_HOME": desk.path("config")]
    ).run()
    #expect(preloaded.succeeded && preloaded.output.isEmpty, "\(preloaded.errors)")
    let cache = try MediaCache(at: desk.path("cache"), quota: .gigabytes(1))
    let entry = try #require(await cache.entries().first)
    #expect(entry.key.name == "front/one" && entry.cachedBytes > 0)
    let playback = try await cache.playback(of: entry.key)
    try await eventually("its seconds to be known") { () async -> Bool in
      (playback.state.cachedSeconds?.first?.upperBound ?? 0) >= 2
    }
    let refused = try FootageProgram.command(
      ["fetch", "--preload", "2h", "front/one"] + robot, environment: ["XDG_CONFIG_HOME": desk.path("config")]
    ).run()
    #expect(refused.status == 64 && refused.errors.contains("--preload must be a time"))
  }
}
