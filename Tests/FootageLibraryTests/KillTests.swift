/// After `kill -9` at any moment of indexing, the next start repairs everything.

import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite(.serialized) struct KillTests {
  /// The number of rounds that end with a kill. Its moments are spread over the duration of a whole round.
  static let rounds = TestRun.isSoaking ? 50 : 3
  static let files = TestRun.isSoaking ? 200 : 60

  @Test(.timeLimit(.minutes(10))) func `a server that is killed while it indexes is none the worse`() async throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    var generator = SeededGenerator(seed: UInt64(Self.rounds))
    var expected: [String: [UInt8]] = [:]
    for index in 0..<Self.files {
      let bytes = index % 10 == 9 ? Array("no film, but a text: \(index)".utf8) : Samples.moovLast
      try put(bytes, outside.path("\(index).mp4"))
      expected["\(index)"] = bytes
    }
    for round in 0..<Self.rounds {
      // Half of the rounds begin from nothing, the others from the remains of the previous round.
      if round % 2 == 0 { try? FileTree.removeFolder(folder.path(".footage")) }
      let microseconds = UInt32.random(in: 0..<(TestRun.isSoaking ? 300_000 : 120_000), using: &generator)
      let (recordings, source) = (folder.location, outside.location)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          microseconds = microseconds as UInt32, recordings = recordings as String, source = source as String,
          round = round as Int
        ] in
        let library = try RecordingLibrary(recordings: recordings, role: .server, reading: .inProcess) { _ in }
        let killer = try FootageSystem.Thread.start("killer") {
          usleep(microseconds)
          kill(getpid(), SIGKILL)
        }
        try library.start { _ in }
        // Recorders and commands are active meanwhile.
        let command = try RecordingLibrary(recordings: recordings, role: .command, reading: .inProcess) { _ in }
        for file in try FolderListing.entries(of: source).compactMap(\.name) {
          if round % 3 == 1 {
            _ = try? command.ingest(file: "\(source)/\(file)")
          } else {
            try? FileTree.remove("\(recordings)/\(file)")
            try? FileTree.link("\(source)/\(file)", as: "\(recordings)/\(file)")
          }
        }
        killer.join()
      }
      try check(folder, outside, expected)
    }
  }

  /// Checks that every file is ready or refused, that none was changed, and that the catalog is sound.
  private func check(_ folder: TemporaryFolder, _ outside: TemporaryFolder, _ expected: [String: [UInt8]]) throws {
    let catalog = folder.path(".footage/catalog.sqlite")
    if contents(catalog) != nil { #expect(try Database(path: catalog).faults() == []) }
    let present = Set(try FolderListing.entries(of: folder.location).compactMap(\.name).filter { $0.hasSuffix(".mp4") })
    let fixture = try LibraryFixture(in: folder)
    try fixture.wait("all is judged") { snapshot in
      snapshot.count == present.count && snapshot.recordings.allSatisfy { $0.state != .recording }
    }
    #expect(fixture.log.warnings == [])
    for recording in fixture.library.snapshot.recordings {
      let bytes = try #require(expected[recording.name])
      #expect(contents(folder.path("\(recording.name).mp4")) == bytes)
      let isFilm = bytes.count == Samples.moovLast.count
      #expect((recording.state == .ready) == isFilm)
      if isFilm {
        #expect(try fixture.library.open(recording).bytes.length == UInt64(bytes.count))
        #expect(try fixture.library.openIndex(of: recording).length == recording.content?.index?.length)
      }
    }
    for (name, bytes) in expected { #expect(contents(outside.path("\(name).mp4")) == bytes) }
    fixture.library.stop()
    let leftovers = try FolderListing.entries(of: folder.path(".footage/heads")).compactMap(\.name)
    #expect(leftovers.allSatisfy { $0.hasSuffix(".head") || $0.hasSuffix(".index") })
  }
}
