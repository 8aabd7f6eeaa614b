/// A download's progress on terminals of every width, and without a terminal.
import FootageClient
import Testing

@testable import FootageCommands

@Suite struct ProgressLineTests {
  static let progress = DownloadProgress(
    received: 12_345_678, total: 27_100_000, bytesPerSecond: 8_234_000, remaining: .seconds(2))
  static let name = "front/2026-11-20T10-15-30"

  @Test(
    arguments: [
      (120, "3/17 front/2026-11-20T10-15-30  [##########..............]   45% of 27.1 MB   8.2 MB/s  0:02 left"),
      (80, "3/17 …nt/2026-11-20T10-15-30  [###.....]   45% of 27.1 MB   8.2 MB/s  0:02 left"),
      (60, "3/17 …11-20T10-15-30   45% of 27.1 MB   8.2 MB/s  0:02 left"),
      (40, "3/17 …6-11-20T10-15-30   45%  0:02 left"),
      (30, "3/17 …26-11-20T10-15-30   45%"),
    ])
  func `what has no room is left out`(columns: Int, line: String) {
    let text = ProgressLine.text(Self.progress, counter: "3/17 ", name: Self.name, columns: columns)
    #expect(text == line)
  }

  @Test func `the line never reaches the last column, and nothing in it moves while it grows`() {
    for name in [Self.name, "a", "", "録画/2026年11月20日の記録", "e\u{301}\u{301}\u{301}", String(repeating: "x", count: 500)]
    {
      for counter in ["", "3/17 "] {
        for columns in 20...200 {
          var places: Set<Int> = []
          for percent in [0, 1, 9, 10, 55, 99] as [UInt64] {
            let progress = DownloadProgress(
              received: percent * 271_000, total: 27_100_000, bytesPerSecond: Double(percent * 1_000_000),
              remaining: percent == 0 ? nil : .seconds(100 - Int(percent)))
            let line = ProgressLine.text(progress, counter: counter, name: name, columns: columns)
            #expect(ProgressLine.width(line) < columns, "'\(line)' in \(columns)")
            places.insert(line.distance(from: line.startIndex, to: line.firstIndex(of: "%") ?? line.endIndex))
          }
          #expect(places.count == 1, "\(name) in \(columns)")
        }
      }
    }
  }

  @Test(
    arguments: [
      (progress, "45%  12.3 of 27.1 MB  8.2 MB/s  0:02 left"),
      (
        DownloadProgress(received: 0, total: 27_100_000, bytesPerSecond: 0, remaining: nil),
        "0%  0 B of 27.1 MB  0 B/s"
      ),
      (
        DownloadProgress(received: 27_100_000, total: 27_100_000, bytesPerSecond: 1e300, remaining: .zero),
        "100%  27.1 of 27.1 MB  1000.0 TB/s"
      ),
      (DownloadProgress(received: 0, total: 0, bytesPerSecond: 0, remaining: nil), "100%  0 of 0 B  0 B/s"),
    ])
  func `who has no terminal reads it in words`(progress: DownloadProgress, words: String) {
    #expect(ProgressLine.words(progress) == words)
  }
}
