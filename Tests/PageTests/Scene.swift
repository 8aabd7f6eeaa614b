/// A server and a browser, with which every test of the page begins.

import FootageAPI
import FootageBase
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

final class Scene {
  let server: ServerUnderTest
  let browser: WebDriver
  private let folder: URL

  private init(server: ServerUnderTest, browser: WebDriver, folder: URL) {
    self.server = server
    self.browser = browser
    self.folder = folder
  }

  /// A zone where it is about noon, so that recordings from now and from an hour ago are on the same day.
  static var noonZone: String {
    let hour = Int(Date().timeIntervalSince1970) / 3_600 % 24
    // POSIX counts towards the west.
    return "Etc/GMT\(hour < 12 ? "" : "+")\(hour - 12)"
  }

  /// Gives a test a server and a browser of its own, and ends both.
  ///
  /// - Parameters:
  ///   - isQuiet: true if a console error or a request to another origin fails the test.
  ///   - zone: the viewer's zone. Unless the test's recordings have their own dates, no day should end in it meanwhile.
  ///   - certs: the server's folder of certificates; nil for the one that all tests share.
  ///   - arguments: further options of the server.
  static func play(
    isQuiet: Bool = true, zone: String = noonZone, certs: String? = nil, arguments: [String] = [],
    _ test: (Scene) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "footage-page-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await ServerUnderTest(in: folder, certs: certs, arguments: arguments)
    let browser: WebDriver
    do {
      browser = try await WebDriver.start(zone: zone, folder: folder)
    } catch {
      await server.stop()
      throw error
    }
    do {
      let scene = Scene(server: server, browser: browser, folder: folder)
      try await test(scene)
      if isQuiet { try await scene.expectQuiet() }
    } catch {
      await browser.quit()
      await server.stop()
      throw error
    }
    await browser.quit()
    await server.stop()
  }

  /// Opens the page, waits until it knows the recordings of the shown day, and opens its list.
  ///
  /// - Parameter port: the port of a relay to the server; nil for the server's own.
  func visit(_ fragment: String = "", port: Int? = nil) async throws {
    var address = URLComponents(url: server.address, resolvingAgainstBaseURL: false)
    if let port { address?.port = port }
    guard let text = address?.string, let url = URL(string: text + fragment) else {
      throw CommandFailure(description: "fragment \(fragment)")
    }
    try await browser.open(url)
    try await browser.wait(for: "page", "return /\\d/.test(document.getElementById('-count').textContent)")
    try await browser.run(
      "if (!document.body.classList.contains('with-list')) document.getElementById('-drawer-open').click()")
  }

  /// Puts a recording of H.264 and AAC with `moov` last into the served folder. It is written elsewhere and then moved.
  ///
  /// - Parameter name: its name without the extension. Its folders are created.
  func record(_ name: String, seconds: Int = 20, age: TimeInterval = 3600) async throws {
    let written = folder.appending(path: "\(UUID().uuidString).mp4")
    try await Self.encoded(seconds: seconds).write(to: written)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: written.path)
    let place = place(of: name)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: written, to: place)
  }

  /// Puts a recording that ffmpeg makes with these options into the served folder.
  func record(_ name: String, made options: [String]) async throws {
    let written = folder.appending(path: "\(UUID().uuidString).mp4")
    let outcome = try await Command("ffmpeg", arguments: ["-v", "error", "-nostdin"] + options + [written.path])
      .finished()
    try #require(outcome.succeeded, "\(outcome.errors)")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: written.path)
    let place = place(of: name)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: written, to: place)
  }

  /// Returns the bytes of a recording that is not in the served folder.
  func recording(seconds: Int = 8) async throws -> Data {
    try await Self.encoded(seconds: seconds)
  }

  /// Returns the location of a recording in the served folder.
  func place(of name: String) -> URL {
    URL(filePath: server.recordings.path + "/" + name + ".mp4")
  }

  /// Returns the robot's item for a recording, which the page requests as its own script does.
  func item(_ name: String) async throws -> RecordingItem {
    let target = Resource.recording(name: name, .details).target
    return try RecordingItem(
      await browser.run("return (await fetch(arguments[0])).json()", .string(target)))
  }

  /// Returns the selector of the row that begins with a recording, whose link contains the name.
  func row(_ name: String) -> String {
    let encoded = name.split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.addingPercentEncoding(withAllowedCharacters: Self.unescaped) ?? "" }
    return "a.row[href=\"#\(encoded.joined(separator: "/"))\"]"
  }

  /// Waits until the page knows that a recording can be played.
  func waitForRow(_ name: String) async throws {
    try await browser.wait(
      for: "row of \(name)",
      """
      return $footage.footage.cameras.some(camera =>
        camera.rows.some(row => row.name === arguments[0] && row.state === 'ready'));
      """, .string(name))
  }

  /// Goes to a moment of a camera, as the timeline does.
  func go(to camera: String, _ moment: String) async throws {
    try await browser.run(
      "$timeline.timeline.go($footage.footage.camera(arguments[0]), Date.parse(arguments[1]))", .string(camera),
      .string(moment))
  }

  /// Waits until the player's clock has passed a moment and its picture moves.
  func waitForPicture(past moment: String) async throws {
    try await browser.wait(
      for: "the picture of \(moment)",
      """
      const video = document.querySelector('.view video'), player = $player.player;
      return video !== null && !video.paused && !video.seeking && video.readyState >= 3 && video.videoWidth > 0
        && document.querySelector('.still').hidden && player.now > Date.parse(arguments[0])
        && player.now < Date.parse(arguments[0]) + 20000;
      """, .string(moment))
  }

  /// Waits until a video's picture is there and moves on past a position in seconds.
  func waitForPlayback(past seconds: Double = 0.5) async throws {
    try await browser.wait(
      for: "playback past \(seconds) s",
      """
      const video = document.querySelector('video');
      return video !== null && (!video.paused || video.ended) && !video.seeking && video.readyState >= 2
        && video.videoWidth > 0 && video.currentTime > arguments[0];
      """, .number(of: seconds))
  }

  /// Fails the test for each complaint of the browser and for each request to another origin.
  func expectQuiet() async throws {
    let complaints = try await browser.consoleErrors()
    #expect(complaints.isEmpty)
    let requested = try await browser.requestedURLs(by: server.address)
    #expect(!requested.isEmpty)
    #expect(
      requested.filter { $0.scheme != "data" && !$0.absoluteString.hasPrefix(server.address.absoluteString) } == [])
  }

  /// The characters that `encodeURIComponent` leaves unchanged (ECMA-262 §19.2.6.4).
  private static let unescaped = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")

  /// The recordings by their seconds. Each is made once per run.
  private static let encoded = Mutex<[Int: Task<Data, any Error>]>([:])

  private static func encoded(seconds: Int) async throws -> Data {
    try await encoded.withLock { encoded in
      let task = encoded[seconds] ?? Task { try await encode(seconds: seconds) }
      encoded[seconds] = task
      return task
    }.value
  }

  private static func encode(seconds: Int) async throws -> Data {
    let folder = try TemporaryFolder()
    let outcome = try await Command(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25", "-f", "lavfi", "-i",
      "sine=frequency=440", "-t", "\(seconds)", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g",
      "25", "-c:a", "aac", "-shortest", folder.path("recording.mp4")
    ).finished()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return try Data(contentsOf: URL(filePath: folder.path("recording.mp4")))
  }
}
