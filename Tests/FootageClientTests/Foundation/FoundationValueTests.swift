import Foundation
import FootageClient
import TestSupport
import Testing

/// Dates and URLs as apps use them.
@Suite struct FoundationValueTests {
  @Test(
    arguments: [
      (0, 0, 0), (1.25, 1, 250), (-0.001, -1, 999), (-1, -1, 0), (1_763_634_930.9996, 1_763_634_930, 999),
      (-0.000_1, -1, 999),
    ] as [(Double, Int64, Int)])
  func `a date is the millisecond that it lies in`(_ interval: Double, _ seconds: Int64, _ milliseconds: Int) {
    #expect(UnixTime(Date(timeIntervalSince1970: interval)) == UnixTime(seconds: seconds, milliseconds: milliseconds))
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, 1e300, -1e300, 9.3e15, -9.3e15,
  ])
  func `what is no moment does no harm`(_ interval: Double) {
    let moment = UnixTime(Date(timeIntervalSince1970: interval))
    #expect((0...999).contains(moment.milliseconds))
    #expect(abs(moment.seconds) <= 9_000_000_000_000)
  }

  @Test func `moments of robots come back`() {
    for seconds: Int64 in [-86_400, 0, 1_763_634_930, 253_402_300_799] {
      for milliseconds in [0, 1, 250, 999] {
        let moment = UnixTime(seconds: seconds, milliseconds: milliseconds)
        #expect(UnixTime(moment.date) == moment)
      }
    }
  }

  @Test func `apps can say in the App Store what the library asks the system`() throws {
    let file = Checkout.path("Sources/FootageClient/Foundation/PrivacyInfo.xcprivacy")
    let manifest = try PropertyListSerialization.propertyList(
      from: try Data(contentsOf: URL(fileURLWithPath: file)), format: nil)
    let entries = try #require(manifest as? [String: Any])
    #expect(entries["NSPrivacyTracking"] as? Bool == false)
    #expect((entries["NSPrivacyCollectedDataTypes"] as? [Any])?.isEmpty == true)
    let asked = try #require(entries["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
    let categories = asked.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }
    #expect(
      Set(categories.map { $0.replacing("NSPrivacyAccessedAPICategory", with: "") })
        == ["FileTimestamp", "DiskSpace", "SystemBootTime"])
    #expect(asked.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })
  }

  @Test func `a folder may be a URL, and what is none is told`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: URL(filePath: folder.path("a cache %41")), quota: .gigabytes(1))
    #expect(FileManager.default.fileExists(atPath: folder.path("a cache %41")))
    await cache.close()
    let elsewhere = try #require(URL(string: "https://robot7.local/a"))
    #expect(throws: MediaCacheError.self) { try MediaCache(at: elsewhere, quota: .gigabytes(1)) }
    #expect(throws: PairingError.self) { try PairingStore(at: elsewhere) }
    #expect(try PairingStore(at: URL(filePath: folder.location)).folder == folder.location)
  }
}
