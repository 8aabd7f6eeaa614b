import FootageAPI
import FootageBase
import FootageLibrary
import FootageSystem
import Testing

@testable import FootageServer

/// The reasons that follow from facts: each of them, and facts without a reason.
@Suite struct HealthTests {
  private static let now = UnixTimestamp(seconds: 1_795_169_730)
  private static let gigabyte: UInt64 = 1_000_000_000

  /// Returns the facts of a healthy robot.
  private static func facts(_ change: (inout HealthFacts) -> Void = { _ in }) -> HealthFacts {
    var facts = HealthFacts(
      now: now, built: UnixTimestamp(seconds: 1_790_000_000),
      statistics: LibraryStatistics(LibrarySnapshot(), at: now))
    facts.recordingCount = 7
    facts.library.hasScanned = true
    facts.space = FileSystemSpace(freeBytes: 20 * gigabyte, totalBytes: 64 * gigabyte)
    facts.certificateEnd = UnixTimestamp(seconds: now.seconds + 400 * 86_400)
    change(&facts)
    return facts
  }

  @Test func `a robot that is well has nothing to say`() {
    let report = HealthReport(Self.facts())
    #expect(report.status == .ok && report.reasons == [] && report.recordings == 7 && report.forecastSeconds == nil)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: HealthCode?
    let status: HealthStatus
    let change: @Sendable (inout HealthFacts) -> Void

    init(
      _ description: String, _ code: HealthCode?, _ status: HealthStatus,
      _ change: @escaping @Sendable (inout HealthFacts) -> Void
    ) {
      (testDescription, self.code, self.status, self.change) = (description, code, status, change)
    }
  }

  private static func days(_ count: Int64) -> UnixTimestamp { UnixTimestamp(seconds: now.seconds + count * 86_400) }

  static let cases =
    [
      Case("a full disk", .diskFull, .failing) {
        $0.space = FileSystemSpace(freeBytes: 1_000, totalBytes: 64 * gigabyte)
      },
      Case("a full disk, though old recordings go", .diskFull, .failing) {
        $0.space = FileSystemSpace(freeBytes: 1_000, totalBytes: 64 * gigabyte)
        $0.makesRoom = true
      },
      Case("a twentieth is left", .diskLow, .degraded) {
        $0.space = FileSystemSpace(freeBytes: 3 * gigabyte, totalBytes: 64 * gigabyte)
      },
      Case("full within a day", .diskLow, .degraded) { $0.forecastSeconds = 86_399 },
      Case("full in a day and a bit", nil, .ok) { $0.forecastSeconds = 86_400 },
      Case("full within a day, and old recordings go", nil, .ok) {
        $0.forecastSeconds = 60
        $0.makesRoom = true
      },
      Case("a twentieth is left, and old recordings go", nil, .ok) {
        $0.space = FileSystemSpace(freeBytes: 3 * gigabyte, totalBytes: 64 * gigabyte)
        $0.makesRoom = true
      },
      Case("the disk does not answer", .diskStuck, .failing) { $0.silentDiskSeconds = 13 },
      Case("the disk takes its time", nil, .ok) { $0.silentDiskSeconds = 12 },
      Case("no folder", .folderMissing, .failing) { $0.library.isFolderMissing = true },
      Case("a folder that may not be read", .folderMissing, .failing) {
        ($0.library.isFolderMissing, $0.library.isFolderDenied) = (true, true)
      },
      Case("no disk below the folder", .mountLost, .failing) {
        $0.library.awayCount = 7
        $0.recordingCount = 0
      },
      Case("one of two disks", .recordingsAway, .degraded) { $0.library.awayCount = 3 },
      Case("a temporary state", .stateUnwritable, .degraded) { $0.library.isStateTemporary = true },
      Case("preambles that cannot be stored", .stateUnwritable, .degraded) { $0.library.unstoredCount = 1 },
      Case("a catalog that cannot be written", .catalogUnwritable, .degraded) { $0.library.isCatalogUnwritable = true },
      Case("too few watches", .unwatched, .degraded) { $0.library.isWatched = false },
      Case("files that are not MP4", .foreignFiles, .ok) {
        $0.library.foreign = ForeignFiles(count: 12, example: RelativePath("front/a.mkv"))
      },
      Case("a turn that does not end", .libraryStuck, .failing) { $0.library.busyNanoseconds = 13_000_000_000 },
      Case("a certificate of 29 days", .certificateExpiring, .degraded) { $0.certificateEnd = days(29) },
      Case("a certificate of 31 days", nil, .ok) { $0.certificateEnd = days(31) },
      Case("a certificate of yesterday", .certificateExpired, .degraded) { $0.certificateEnd = days(-1) },
      Case("certificates that cannot be used", .certificatesUnusable, .degraded) {
        $0.certificateFailure = "they differ"
      },
      Case("a clock in 1970", .clockNotSet, .degraded) {
        $0.now = UnixTimestamp(seconds: 60)
        $0.certificateEnd = UnixTimestamp(seconds: 61)
      },
      Case("a reader that ends thrice an hour", .indexerRestarts, .degraded) { $0.indexerRestartsOfLastHour = 3 },
      Case("a reader that ends twice an hour", nil, .ok) { $0.indexerRestartsOfLastHour = 2 },
      Case("nothing makes room", .retentionFailing, .failing) { $0.retentionFailure = "nothing is freed" },
      Case("nothing may be deleted", .retentionShort, .degraded) { $0.isRetentionShort = true },
      Case("recordings went before they were stored", .unstoredDeleted, .failing) { $0.lostUnstored = (60, 3) },
    ] + offloadCases

  /// The codes that the upload into the store reports itself.
  private static let offloadCases =
    [
      HealthCode.offloadAway, .offloadDenied, .offloadUntrusted, .offloadRedirect, .offloadFull, .offloadForeign,
      .offloadRecord,
    ]
    .map { code in
      Case(code.rawValue, code, .degraded) {
        $0.offloadTroubles = [HealthReport.Reason(code, "the store does not: look")]
      }
    } + [
      Case("recordings that the store has lost", .offloadMissing, .failing) {
        $0.offloadTroubles = [HealthReport.Reason(.offloadMissing, "it is gone: look")]
      }
    ]

  @Test(arguments: cases)
  func `each trouble has its code, and what is none has no reason`(one: Case) throws {
    let report = HealthReport(Self.facts(one.change))
    #expect(report.status == one.status && report.reasons.map(\.code) == (one.code.map { [$0.rawValue] } ?? []))
    for reason in report.reasons {
      #expect(reason.text.hasSuffix(".") || reason.text.contains(": "), "\(reason.text)")
      #expect(reason.text.utf8.count < 200)
    }
  }

  @Test(arguments: cases)
  func `who does not see all cameras is told the codes of the robot's troubles alone`(one: Case) throws {
    let report = HealthReport(Self.facts(one.change), seenBy: CameraSelection(["front"]), recordings: 1)
    #expect(report.status == one.status && report.reasons.map(\.code) == (one.code.map { [$0.rawValue] } ?? []))
    for reason in report.reasons {
      #expect(reason.text == "\(reason.code): viewers who may see all cameras get the details." && reason.camera == nil)
    }
    #expect(report.forecastSeconds == nil)
  }

  @Test func `every code but those of recordings and cameras is among them`() {
    let met = Set(Self.cases.compactMap(\.code))
    let others: Set<HealthCode> = [.cameraLate, .camerasSilent, .keepShare, .refusedLately, .robotsUnusable]
    #expect(Set(HealthCode.allCases).subtracting(met) == others)
  }

  @Test func `files that are not MP4 are counted, with the command that makes an MP4 of one`() {
    let facts = Self.facts { $0.library.foreign = ForeignFiles(count: 12, example: RelativePath("front/a.mkv")) }
    #expect(
      HealthReport(facts).reasons.map(\.text) == [
        "12 files in the recordings folder are not MP4 and in no list (one is front/a.mkv). This makes an MP4 of it: "
          + "ffmpeg -i NAME.mkv -c copy NAME.mp4."
      ])
  }

  @Test func `the worst reason comes first, and decides`() {
    let report = HealthReport(
      Self.facts {
        $0.library.isCatalogUnwritable = true
        $0.space = FileSystemSpace(freeBytes: 0, totalBytes: 64)
      })
    #expect(report.status == .failing && report.reasons.map(\.code) == ["disk-full", "catalog-unwritable"])
  }

  @Test func `what is free beneath a lost disk is not told of as the recordings'`() {
    let report = HealthReport(
      Self.facts {
        $0.library.awayCount = 7
        $0.recordingCount = 0
        $0.space = FileSystemSpace(freeBytes: 0, totalBytes: 64)
      })
    #expect(report.reasons.map(\.code) == ["mount-lost"])
  }

  @Test func `what a later robot says is read, and its reasons are told`() throws {
    let text = #"{"status":"degraded","reasons":[{"code":"fan-stopped","text":"It is hot."}],"more":1}"#
    let report = try #require(JSONValue(Array(text.utf8)).flatMap(HealthReport.init))
    #expect(report.reasons.map(\.code) == ["fan-stopped"] && report.reasons.map(\.status) == [.degraded])
    #expect(JSONValue(Array(#"{"status":"splendid"}"#.utf8)).flatMap(HealthReport.init) == nil)
  }

  @Test(
    arguments: [
      (-1, "0 s"), (119, "119 s"), (120, "2 minutes"), (7_199, "119 minutes"), (7_200, "2 hours"),
      (172_799, "47 hours"), (181_440, "2.1 days"), (8_640_000, "100 days"),
    ] as [(Int64, String)])
  func `spans are said as people say them`(seconds: Int64, words: String) {
    #expect(HealthText.span(seconds) == words)
  }
}
