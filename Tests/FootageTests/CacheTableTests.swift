/// The table of the cache on terminals of every width.
import FootageBase
import Testing

@testable import FootageCore
@testable import FootageCommands

@Suite struct CacheTableTests {
  private static func entry(
    _ name: String, robot: String = "r", cached: UInt64 = 20_955_211, isKept: Bool = false, isListed: Bool = true
  ) -> MediaCache.Entry {
    let item = #"{"name":"x","state":"ready","size":1,"startedAt":"2026-11-20T10:15:30Z","duration":60.03}"#
    return MediaCache.Entry(
      key: RecordingKey(robot: robot, name: name), version: RecordingVersion(tag: "\"v\"", length: 20_955_211),
      cachedBytes: cached, isComplete: cached == 20_955_211, isKept: isKept, path: "/home/a/.cache/footage/media/x.mp4",
      recording: isListed ? RobotRecording(itemJSON: item) : nil, itemJSON: isListed ? item : nil)
  }

  private static func lines(_ entries: [MediaCache.Entry], columns: Int?) -> [String] {
    CacheTable.text(entries, robotName: { "\($0).local:8443" }, in: .utc, columns: columns).split(separator: "\n")
      .map(String.init)
  }

  private static let everyday = [
    entry("front/2026-11-20T10-15-30", isKept: true),
    entry("rear/2026-11-20T10-15-30", cached: 9_500_000, isListed: false),
  ]

  @Test func `an everyday cache is whole on an everyday terminal`() {
    for line in Self.lines(Self.everyday, columns: 80) { #expect(ProgressLine.width(line) < 80, "\(line)") }
    #expect(Self.lines(Self.everyday, columns: 80)[1].hasPrefix("front/2026-11-20T10-15-30  2026-11-20 10:15:30  "))
    #expect(Self.lines(Self.everyday, columns: 80)[1].hasSuffix("  complete, kept"))
    #expect(
      Self.lines(Self.everyday, columns: nil)[2].hasSuffix("  45%             /home/a/.cache/footage/media/x.mp4"))
  }

  @Test(arguments: [40, 50, 60, 72, 80, 100, 132, 200])
  func `no line is wider than the terminal`(columns: Int) {
    let many =
      Self.everyday + [
        Self.entry(String(repeating: "long-name-", count: 12), robot: "other"), Self.entry("录像/前/二零二六年十一月二十日十一时"),
      ]
    for entries in [Self.everyday, many] {
      let lines = Self.lines(entries, columns: columns)
      #expect(lines.count == entries.count + 1 && lines[0].hasPrefix("NAME") && lines[0].hasSuffix("CACHED"))
      for line in lines { #expect(ProgressLine.width(line) < columns, "\(line)") }
    }
  }
}
