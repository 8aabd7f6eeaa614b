/// The keys by which the cache identifies recordings.
import Testing

@testable import FootageCore

@Suite struct RecordingKeyTests {
  @Test func `names that look alike and have other bytes are other recordings`() {
    let (one, two) = (RecordingKey(robot: "r", name: "caf\u{E9}"), RecordingKey(robot: "r", name: "cafe\u{301}"))
    // As strings they are equal.
    #expect(one.name == two.name)
    #expect(one != two && Set([one, two]).count == 2)
    #expect(two < one && !(one < two))
    #expect(RecordingKey(robot: "\u{E9}", name: "x") != RecordingKey(robot: "e\u{301}", name: "x"))
    #expect(RecordingKey(robot: "\u{E9}", name: "x") > RecordingKey(robot: "e\u{301}", name: "x"))
  }

  @Test func `what is kept together is told apart`() {
    let keys = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc")].map { RecordingKey(robot: $0.0, name: $0.1) }
    #expect(Set(keys).count == 4 && Set(keys.map(\.hashValue)).count == 4)
    #expect(keys.sorted().map(\.name) == ["", "abc", "bc", "c"])
    #expect(RecordingKey(robot: "r", name: "n") == RecordingKey(robot: "r", name: "n"))
  }
}
