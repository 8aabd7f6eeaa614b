/// The table of recordings on terminals of every width, and without a terminal.
import FootageBase
import LinuxTestSupport
import Testing

@testable import FootageCommands

@Suite struct RecordingTableTests {
  static let berlin =
    POSIXTimeZone("CET-1CEST,M3.5.0,M10.5.0/3").map { TimeZoneRules(name: "Europe/Berlin", rule: $0) } ?? .utc

  static func row(_ name: String, state: String = "ready") -> RecordingTable.Row {
    RecordingTable.Row(
      name: name, startedAt: UnixTimestamp(seconds: 1_795_169_730), duration: 60.03, size: 20_955_211,
      picture: (1280, 720), state: state)
  }

  static func lines(_ rows: [RecordingTable.Row], columns: Int?) -> [String] {
    RecordingTable.text(rows, in: berlin, columns: columns).split(separator: "\n").map(String.init)
  }

  static let long = "front/" + String(repeating: "a-very-long-name-", count: 10) + "end"
  static let reason = "refused: box 'moov' at byte 48 claims 9,000 bytes, but its parent ends at byte 512"

  @Test func `where nothing has an edge nothing is cut`() {
    let lines = Self.lines([Self.row(Self.long), Self.row("x", state: Self.reason)], columns: nil)
    #expect(lines[0].contains("STARTED (Europe/Berlin)"))
    #expect(lines[1].hasPrefix(Self.long + "  2026-11-20 11:15:30 "))
    #expect(lines[2].hasSuffix("  " + Self.reason))
  }

  @Test(arguments: [
    (
      80, "NAME                      STARTED (Berlin)     LENGTH     SIZE  STATE",
      "front/2026-11-20T11-15-30  2026-11-20 11:15:30    1:00  21.0 MB  ready"
    ),
    (
      120, "NAME                      STARTED (Berlin)     LENGTH     SIZE  VIDEO     STATE",
      "front/2026-11-20T11-15-30  2026-11-20 11:15:30    1:00  21.0 MB  1280×720  ready"
    ),
  ])
  func `an everyday list is whole on an everyday terminal`(columns: Int, head: String, first: String) {
    let rows = (0..<3).map { _ in Self.row("front/2026-11-20T11-15-30") } + [Self.row("rear/x", state: "recovered")]
    let lines = Self.lines(rows, columns: columns)
    #expect(lines.allSatisfy { $0.count < columns })
    #expect(lines[1] == first)
    #expect(lines[0].hasPrefix("NAME") && lines[0].hasSuffix("STATE"))
    #expect(lines[4].hasSuffix("recovered"))
  }

  @Test(arguments: [20, 40, 50, 60, 80, 100, 132, 200])
  func `no line is wider than the terminal, whatever is in it`(columns: Int) {
    let rows = [
      Self.row("front/2026-11-20T11-15-30"), Self.row(Self.long), Self.row("录像/前/二零二六年十一月二十日十一时十五分三十秒前摄像头录像"),
      Self.row("x", state: Self.reason), Self.row("y", state: "ready, dated in the future"),
    ]
    let lines = Self.lines(rows, columns: columns)
    for line in lines where columns >= 50 {
      #expect(ProgressLine.width(line) < columns, "\(ProgressLine.width(line)) columns: \(line)")
    }
    #expect(lines.count == 6)
  }

  @Test func `one long name does not push all rows apart`() {
    let rows = (0..<20).map { Self.row("front/\($0)") } + [Self.row(Self.long)]
    let lines = Self.lines(rows, columns: 200)
    #expect(lines.dropLast().allSatisfy { $0.count < 100 })
    #expect(lines[21].hasPrefix("front/a-very-lon…"))
    #expect(lines[21].contains("-name-end  2026-11-20"))
  }

  @Test(arguments: [
    ("front/2026-11-20", 16, "front/2026-11-20"), ("front/2026-11-20", 9, "fron…1-20"), ("front/2026-11-20", 2, "f…"),
    ("front/2026-11-20", 1, "…"), ("front/2026-11-20", 0, ""), ("录像录像录像", 7, "录…像"), ("", 0, ""),
  ])
  func `a name is shortened in the middle`(name: String, columns: Int, expected: String) {
    #expect(TextColumns.shortenedInMiddle(name, to: columns) == expected)
    #expect(ProgressLine.width(TextColumns.shortenedInMiddle(name, to: columns)) <= columns)
  }

  @Test(arguments: [
    ("refused: why", 12, "refused: why"), ("refused: why", 8, "refused…"), ("录像", 2, "…"), ("x", 0, ""),
  ])
  func `a reason is shortened at its end`(reason: String, columns: Int, expected: String) {
    #expect(TextColumns.shortenedAtEnd(reason, to: columns) == expected)
  }
}
