import FootageAPI
import FootageBase
import Foundation
import TestSupport
import Testing

/// The reference of the HTTP interface agrees with the contract in code.
@Suite struct ReferenceTests {
  private static let page =
    (try? String(contentsOfFile: Checkout.path("Documentation/reference/http.md"), encoding: .utf8)) ?? ""

  /// The JSON examples between the reference's code fences, in order.
  private static var examples: [JSONValue] {
    page.split(separator: "```json\n").dropFirst().compactMap { rest in
      rest.range(of: "\n```").flatMap { JSONValue(Array(rest[..<$0.lowerBound].utf8)) }
    }
  }

  private func written(_ write: (inout JSONWriter) -> Void) throws -> JSONValue {
    var json = JSONWriter()
    write(&json)
    return try #require(JSONValue(Array(json.text.utf8)))
  }

  @Test(arguments: ProblemCode.allCases)
  func `every problem that an app goes by is in it`(code: ProblemCode) {
    #expect(Self.page.contains("| `\(code.rawValue)` |"))
  }

  @Test(arguments: HealthCode.allCases)
  func `every reason of health is in it, with how bad it is`(code: HealthCode) {
    #expect(Self.page.contains("| `\(code.rawValue)` | `\(code.status.rawValue)` |"))
  }

  @Test func `its health is one that an app reads, and a robot writes`() throws {
    let example = try #require(Self.examples.first { $0["forecastSeconds"] != nil })
    let report = try #require(HealthReport(example))
    #expect(try written { report.write(into: &$0) } == example)
  }

  @Test(arguments: ListQuery.StateFilter.allCases)
  func `every state is in it`(state: ListQuery.StateFilter) {
    #expect(Self.page.contains("`\(state.rawValue)`"))
  }

  @Test func `its item is one that an app reads, and a robot writes`() throws {
    let example = try #require(Self.examples.first { $0["name"] != nil })
    let item = try RecordingItem(example)
    #expect(try written { item.write(into: &$0) } == example)
  }

  @Test func `its lists are ones that an app reads, and a robot writes`() throws {
    let cameras = try #require(Self.examples.first { $0["cameras"] != nil })
    let list = try #require(CameraList(cameras))
    #expect(try written { list.write(into: &$0) } == cameras)
    let spans = try #require(Self.examples.first { $0["spans"] != nil })
    let timeline = try #require(CameraTimeline(spans))
    #expect(try written { timeline.write(into: &$0) } == spans)
    #expect(timeline.spans.first?.recordings?.map(\.note) == [.recovered, nil])
    #expect(timeline.spans.last?.recordings?.map(\.note) == [.cutOff])
    let recordings = try #require(Self.examples.first { $0["recordings"] != nil && $0["next"] != nil })
    let page = try #require(RecordingList(recordings))
    #expect(page.header.robot?.name == "robot7" && page.header.may == [])
  }
}
