/// Recordings of many kinds, as `scripts/check-media.sh` makes them: their films, clips and growing films keep all rules.

import Foundation
import TestSupport
import Testing

@testable import FootageMedia

@Suite struct GeneratedRecordingTests {
  /// The names of the files and their kinds in words, and the folder with the files.
  private static let made = Result {
    let folder = try TemporaryFolder()
    _ = try Tool.run(
      "python3", ["-B", Checkout.path("scripts/tools"), "media.generate", folder.path("made"), "40", "39"])
    let list = try String(contentsOfFile: folder.path("made/kinds.txt"), encoding: .utf8)
    let kinds = list.split(separator: "\n").compactMap { line -> (name: String, words: String)? in
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
    return (folder: folder, kinds: kinds)
  }

  /// Calls a closure with each file's words and bytes.
  private func forEach(_ body: (String, Bytes) throws -> Void) throws {
    let (folder, kinds) = try Self.made.get()
    #expect(kinds.count == 40)
    for (name, words) in kinds {
      let paths = ["mp4", "mov"].map { folder.path("made/\(name).\($0)") }
      let path = try #require(paths.first { FileManager.default.fileExists(atPath: $0) })
      try body("\(name) (\(words))", Bytes(Data(contentsOf: URL(fileURLWithPath: path))))
    }
  }

  @Test func `each film keeps the rules, and each clip begins with a picture`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("clip.mp4")
    try forEach { words, bytes in
      // The film is checked as it is made.
      let film = try FilmSource(bytes)
      #expect(film.index.shift != nil, "\(words)")
      let end = film.index.leading.timing.nanoseconds(film.index.end)
      for start in [0, end / 2, max(0, end - 1_300_000_000)] {
        let times = start..<min(start + 2_100_000_000, end)
        guard let clip = try? film.clip(times) else { continue }
        try Data(film.content(clip)).write(to: URL(fileURLWithPath: path))
        let shown = try Presentation(of: path)
        check(!shown.pictures.isEmpty, "\(words): no picture in \(times)")
      }
    }
  }

  @Test func `each film that grows keeps what it has told`() throws {
    var films = 0
    try forEach { words, bytes in
      guard !BoxBytes(bytes).all("moof").isEmpty else { return }
      var growing = try GrowingRecording(bytes)
      var before: String?
      while try growing.growByFragment() {
        // A playlist is asked for now and then.
        guard growing.fragmentCount % 3 == 0, let text = try growing.playlist() else { continue }
        let found =
          PlaylistChecker.violations(in: text) + (before.map { PlaylistChecker.violations(in: text, after: $0) } ?? [])
        check(found.isEmpty, "\(words): \(found.prefix(3)) in \(text)")
        before = text
      }
      guard let last = try growing.finish() else { return }
      films += 1
      let found =
        PlaylistChecker.violations(in: last) + (before.map { PlaylistChecker.violations(in: last, after: $0) } ?? [])
      check(found.isEmpty, "\(words): \(found.prefix(3)) in \(last)")
    }
    #expect(films > 10)
  }
}
