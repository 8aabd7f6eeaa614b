/// XXH64, compared with the values of its reference implementation (seed 0).

import FootageClient
import LinuxTestSupport
import Testing

@Suite struct RangeChecksumTests {
  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)])
  func `it is XXH64`(_ text: String, _ expected: UInt64) {
    var checksum = RangeChecksum()
    checksum.update(Array(text.utf8))
    #expect(checksum.value == expected)
  }

  @Test func `the steps in which bytes come do not matter, and every byte does`() {
    let bytes = testBytes(333)
    var whole = RangeChecksum()
    whole.update(bytes)
    for seed in UInt64(0)..<100 {
      var random = SeededGenerator(seed: seed)
      var stepped = RangeChecksum()
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 0...50, using: &random)
        stepped.update(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      #expect(stepped.value == whole.value, "seed \(seed)")
    }
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1
      var checksum = RangeChecksum()
      checksum.update(damaged)
      #expect(checksum.value != whole.value)
    }
  }
}
