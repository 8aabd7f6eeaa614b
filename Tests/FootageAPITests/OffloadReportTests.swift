import FootageBase
import Testing

@testable import FootageAPI

@Suite struct OffloadReportTests {
  static let away = HealthReport.Reason(.offloadAway, "The store does not answer.")
  static let missing = HealthReport.Reason(.offloadMissing, "One recording is lost.")

  private static func text(_ report: OffloadReport) -> String {
    var json = JSONWriter()
    report.write(into: &json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static func report(_ text: String) -> OffloadReport? {
    JSONValue(Array(text.utf8)).flatMap(OffloadReport.init)
  }

  @Test(arguments: [[], [away], [away, missing]]) func `a report says its troubles`(
    troubles: [HealthReport.Reason]
  ) {
    let written = OffloadReport(store: "https://store.example/bucket", troubles: troubles)
    #expect(Self.report(Self.text(written))?.troubles == troubles)
  }

  @Test func `an earlier version said one of them, and reads it`() {
    let old = """
      {"store": "s", "trouble": {"code": "offload-away", "text": "The store does not answer."}, \
      "stored": {"count": 0, "bytes": 0}, "backlog": {"count": 0, "bytes": 0}}
      """
    #expect(Self.report(old)?.troubles == [Self.away])
    let new = JSONValue(Array(Self.text(OffloadReport(store: "s", troubles: [Self.away, Self.missing])).utf8))
    #expect(new?["trouble"].flatMap(HealthReport.Reason.init) == Self.away)
  }

  @Test(arguments: [OffloadRequest(verb: "remove", names: ["a", "b/c"]), OffloadRequest(verb: "verify", names: nil)])
  func `a wish is read as it was written`(wish: OffloadRequest) {
    #expect(OffloadRequest(body: wish.body) == wish)
  }

  @Test(arguments: [
    #"{"verb": "remove"}"#, #"{"verb": "remove", "names": []}"#, #"{"verb": "remove", "names": null}"#,
    #"{"verb": "verify", "all": false}"#, #"{"verb": "verify", "names": [], "all": true}"#,
    #"{"verb": "remove", "names": ["a"], "all": true}"#, #"{"verb": "remove", "names": [7]}"#,
    #"{"verb": "remove", "names": "a"}"#, #"{"names": ["a"]}"#, "", "[]",
  ])
  func `no list, an empty one and a broken one are none, and never all`(body: String) {
    #expect(OffloadRequest(body: Array(body.utf8)) == nil)
  }
}
