import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// Films, clips and pictures of the tracks of a recording that is only in a store: from the robot that recorded it, and
/// from a server of many robots.
@Suite(.timeLimit(.minutes(5))) struct StoredVideoTrackTests {
  private struct Answer: Equatable {
    let status: Int
    let tag: String?
    let bytes: [UInt8]
  }

  /// Returns the answers for each track of a recording: its views, and the parts of its film.
  private func answers(
    about name: String, asking ask: (String) throws -> (status: Int, tag: String?, bytes: [UInt8])
  ) throws -> [String: Answer] {
    var found: [String: Answer] = [:]
    func note(_ what: String, _ target: String) throws -> [UInt8] {
      let (status, tag, bytes) = try ask(target)
      found[what] = Answer(status: status, tag: tag, bytes: bytes)
      return bytes
    }
    for track in 1...3 {
      for query in ["start=1&end=3", "keyframe=2", "keys=0"] {
        _ = try note("\(query) of \(track)", "/recordings/\(name).mp4?\(query)&track=\(track)")
      }
      let (status, _, playlist) = try ask("/recordings/\(name).media.m3u8?track=\(track)")
      let text = String(decoding: playlist, as: UTF8.self)
      let parts = text.split(separator: "\n").filter { $0.hasSuffix(".m4s") }
      #expect(status == 200 && !parts.isEmpty && parts.allSatisfy { $0.contains("/t\(track)/") }, "\(text)")
      for part in parts {
        // The film's key is that of the name, which the other server has extended.
        let place = try #require(part.range(of: "hls/").map { "/" + part[$0.lowerBound...] })
        _ = try note("\(part.split(separator: "/").last ?? "") of \(track)", place)
      }
    }
    for target in ["\(name).mp4?start=1&track=4", "\(name).mp4?keyframe=1&track=4", "\(name).m3u8?track=4"] {
      let (status, _, bytes) = try ask("/recordings/\(target)")
      #expect(status == 404 && String(decoding: bytes, as: UTF8.self).contains("\"no-such-view\""), "\(target)")
    }
    return found
  }

  private func tracks(_ bytes: [UInt8]) throws -> [VideoTrack] {
    try RecordingItem(try #require(JSONValue(bytes))).videoTracks
  }

  @Test func `a recording that only the store has is served by its tracks, by the robot and by a fleet's server`()
    throws
  {
    let store = try FakeObjectStore()
    let folder = try TemporaryFolder()
    try "\(FakeObjectStore.accessKey)\nof-a-test\n"
      .write(toFile: folder.path("key"), atomically: true, encoding: .utf8)
    let server = try Server(
      ["--offload", store.address("fleet"), "--offload-key", folder.path("key"), "--robot-name", "robot7"],
      folder: folder)
    try Fixtures.recordTracks(to: folder.path("x"))
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: folder.path("x"), toPath: server.file("x.mp4"))
    let item = try server.waitForState("ready", of: "x").item
    #expect(item.videoTracks.map(\.number) == [1, 2, 3])
    func ask(_ target: String) throws -> (status: Int, tag: String?, bytes: [UInt8]) {
      let answer = try server.answer(target)
      return (answer.status, answer.field("ETag"), [UInt8](answer.body))
    }
    let before = try answers(about: "x", asking: ask)
    #expect(before.count >= 12 && before.values.allSatisfy { $0.status == 200 && !$0.bytes.isEmpty })

    try eventually("it is in the store; \(server.story)") {
      store.withContents { $0.keys.contains { $0.hasSuffix(".json") } } ? true : nil
    }
    try FileManager.default.removeItem(atPath: server.file("x.mp4"))
    try eventually("it is in the store alone; \(server.story)") {
      JSONValue([UInt8](try server.answer("/recordings/x.json").body))?["place"]?.string == "store"
    }
    #expect(try answers(about: "x", asking: ask) == before)
    #expect(try tracks(try ask("/recordings/x.json").bytes) == item.videoTracks)
    // A server that has just started knows them from its catalog and from the store.
    try server.stop()
    let fleet = try FleetProgramTests.Fleet(store, robots: "robot7 \(server.pin)\n")
    try fleet.wait(for: "robot7/x")
    #expect(try tracks(fleet.get("/recordings/robot7/x.json").bytes) == item.videoTracks)
    let there = try answers(about: "robot7/x", asking: fleet.get)
    #expect(Set(there.keys) == Set(before.keys))
    for (what, answer) in before {
      #expect(there[what]?.status == 200 && there[what]?.bytes == answer.bytes, "\(what)")
    }
  }
}
