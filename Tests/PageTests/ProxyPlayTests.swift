/// A browser's `<video>` with the URL of `footage play`, as in an app's web view.

import Foundation
import LinuxTestSupport
import Testing

@Suite(.serialized, .enabled(if: ServerUnderTest.isThere), .timeLimit(.minutes(5)))
struct ProxyPlayTests {
  private func play(_ name: String, in scene: Scene, _ more: String...) async throws -> (RunningProgram, URL) {
    let cache = scene.server.recordings.deletingLastPathComponent().appending(path: "cache").path
    let robot =
      more.isEmpty ? ["--robot", "127.0.0.1:\(scene.server.address.port ?? 0)", "--pin", try scene.server.pin] : more
    let process = try scene.server.footage(arguments: ["play", name, "--cache", cache] + robot)
    let url = try process.waitForOutput("the playback's URL") { output in
      output.contains("\n") ? output.split(separator: "\n").first.flatMap { URL(string: String($0)) } : nil
    }
    return (process, url)
  }

  private func open(_ url: URL, in scene: Scene) async throws {
    let page = scene.server.recordings.deletingLastPathComponent().appending(path: "app.html")
    try Data(#"<!doctype html><video muted controls src="\#(url.absoluteString)"></video>"#.utf8).write(to: page)
    try await scene.browser.open(page)
    try await scene.browser.run("return document.querySelector('video').play()")
  }

  private func seek(to seconds: Double, in scene: Scene) async throws {
    try await scene.browser.run(
      "document.querySelector('video').currentTime = arguments[0]; return document.querySelector('video').play()",
      .number(of: seconds))
    try await scene.waitForPlayback(past: seconds + 0.3)
  }

  @Test func `a video plays, seeks, stops half-way, starts again, and finishes without its robot`() async throws {
    try await Scene.play(isQuiet: false) { scene in
      try await scene.record("front/long", seconds: 60)
      try await scene.visit()
      try await scene.waitForRow("front/long")
      var (process, url) = try await play("front/long", in: scene)
      try await open(url, in: scene)
      try await scene.waitForPlayback()
      try await seek(to: 40, in: scene)
      try await seek(to: 10, in: scene)
      process.stop()
      (process, url) = try await play("front/long", in: scene)
      try await open(url, in: scene)
      try await seek(to: 25, in: scene)
      try await eventually("the recording to be complete") { () async -> Bool in process.errors.contains("complete") }
      process.stop()
      let served = try Data(contentsOf: scene.place(of: "front/long")).count
      await scene.server.stop()
      (process, url) = try await play("front/long", in: scene, "--offline")
      try await open(url, in: scene)
      try await seek(to: 58, in: scene)
      try await scene.browser.wait(for: "the end", "return document.querySelector('video').ended")
      process.stop()
      // At least nine tenths of the recording, and no more than a player's abandoned requests cost.
      let sent = scene.server.log.matches(of: /\/recordings\/front\/long\.mp4(?:\?v=[0-9a-f]+)?" 20[06] ([0-9]+) bytes/)
        .compactMap { Int($0.1) }
      #expect(sent.reduce(0, +) >= served * 9 / 10)
      #expect(sent.reduce(0, +) <= served + sent.count * 20_000 + (2 << 20))
    }
  }
}
