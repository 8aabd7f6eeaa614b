/// The map of a partial file.
import Testing

@testable import FootageCore

@Suite struct PartialFileMapTests {
  @Test func `a map is read as it was written, and a cut one not at all`() {
    let map = PartialFileMap(
      name: "front/ü \n\"x\"", version: RecordingVersion(tag: "\"a b\"", length: UInt64(Int64.max)), received: 7)
    let text = Array(map.text.utf8)
    #expect(PartialFileMap(text) == map)
    for end in text.indices { #expect(PartialFileMap(Array(text[..<end])) == nil) }
    #expect(PartialFileMap(text + text) == nil)
  }
}
