/// State that version 0.9.0 left on a disk (scripts/make-old-state.sh) is read, and nothing that was kept is lost.

import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.offThePool) struct OldStateTests {
  private static let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/OldState").path

  /// Returns a copy of the state for one test, because it is written to.
  private func state() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["cache", "config", "download"] {
      try FileManager.default.copyItem(atPath: "\(Self.fixture)/\(name)", toPath: folder.path(name))
    }
    return folder
  }

  private func served(_ name: String) throws -> [UInt8] {
    Array(try #require(FileManager.default.contents(atPath: "\(Self.fixture)/served/\(name).mp4")))
  }

  @Test func `a cache is as it was, and goes on`() async throws {
    let folder = try state()
    // This works even if the folder is not writable.
    let rows = try #require(try RangeDatabase.read(folder.path("cache/fragments.sqlite")))
    #expect(rows.count == 4 && rows.values.allSatisfy { $0.fragments.count == 1 })
    let words = EventLog<String>()
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, onWarning: { words.append($0) })
    #expect(words.all.isEmpty)
    let entries = await cache.entries()
    #expect(entries.map(\.key.name) == ["front/kept", "front/part", "front/twice", "front/twice"])
    #expect(entries.map(\.isComplete) == [true, false, true, true])
    #expect(entries.filter(\.isKept).map(\.key.name) == ["front/kept", "front/twice"])
    #expect(try await cache.verify().allSatisfy { $0.damagedBytes.isEmpty })
    for (name, key) in [("kept", entries[0].key), ("twice", entries[2].key)] {
      #expect(try await cache.playback(of: key).readAll(step: 5000) == served(name))
    }
    let part = entries[1]
    let whole = try served("part")
    let source = TestSource(whole, chunk: 4096)
    let playback = try await cache.playback(of: part.key, part.version, from: source)
    try await playback.download()
    #expect(try await playback.readAll(step: 5000) == whole)
    #expect(source.deliveredBytes == UInt64(whole.count) - part.cachedBytes)
    await cache.close()
    let again = try MediaCache(at: folder.path("cache"), quota: 1 << 20)
    #expect(await again.entries().allSatisfy(\.isComplete))
    #expect(try await again.verify().allSatisfy { $0.damagedBytes.isEmpty })
  }

  @Test func `a cache without its index is what its manifests say`() async throws {
    let folder = try state()
    try FileManager.default.removeItem(atPath: folder.path("cache/fragments.sqlite"))
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20)
    let entries = await cache.entries()
    #expect(
      entries.map { "\($0.key.name) \($0.isComplete)" } == ["front/kept true", "front/twice true", "front/twice true"])
    #expect(entries.filter(\.isKept).count == 2)
    #expect(try await cache.playback(of: entries[0].key).readAll(step: 5000) == served("kept"))
  }

  @Test func `a download that was broken off goes on where it was`() async throws {
    let folder = try state()
    let file = try PartialFile("front/part", to: folder.path("download/part.mp4"))
    let earlier = try #require(try await file.open())
    #expect(earlier.received == 16_069 && earlier.version.length == 76_489)
    #expect(earlier.kept.map(\.range) == [0..<16_069])
    let bytes = FileManager.default.contents(atPath: folder.path("download/part.mp4.part"))
    #expect(try bytes.map(Array.init) == Array(served("part")[..<16_069]))
  }

  @Test func `a pairing is as it was`() throws {
    let folder = try state()
    let pairings = try PairingStore(folder: folder.path("config/footage")).all()
    #expect(pairings.count == 1 && pairings[0].address.description.hasPrefix("127.0.0.1:"))
    let line = try TestSupport.text(of: folder.path("config/footage/robots"))
    #expect(pairings[0].pins.map(\.description) == [String(line.split(separator: " ")[1].dropLast())])
  }
}
