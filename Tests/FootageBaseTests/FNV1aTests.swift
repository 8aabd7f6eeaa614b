import FootageBase
import Testing

@Suite struct FNV1aTests {
  /// Values from the authors' own list (draft-eastlake-fnv).
  private static let known: [(text: String, hash: UInt64)] = [
    ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
  ]

  @Test(arguments: known) func `its values are those of everybody`(text: String, hash: UInt64) {
    #expect(FNV1a.hash(Array(text.utf8)[...]) == hash)
  }

  @Test func `pieces come to the same as the whole`() {
    var hash = FNV1a()
    for piece in ["foo", "", "bar"] { hash.add(Array(piece.utf8)[...]) }
    #expect(hash.value == FNV1a.hash(Array("foobar".utf8)[...]))
  }
}
