import FootageDigest
import FootageBase
import TestSupport
import Testing

@Suite struct SHA256Tests {
  @Test(
    arguments: [
      // FIPS 180-4, as in NIST's examples and RFC 6234 §8.5.
      ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
      (
        "0123456701234567012345670123456701234567012345670123456701234567", 10,
        "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"
      ),
    ])
  func `the digest of known texts is the known one`(text: String, count: Int, digest: String) {
    let bytes = Array(String(repeating: text, count: count).utf8)
    #expect(Hexadecimal.encode(SHA256.hash(bytes)) == digest)
  }

  @Test func `in pieces it is the same, wherever they are cut`() {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = SHA256.hash(bytes)
    for length in [1, 55, 56, 63, 64, 65, 128, 999] {
      var digest = SHA256()
      for start in stride(from: 0, to: bytes.count, by: length) {
        digest.update(Array(bytes[start..<min(bytes.count, start + length)]))
        digest.update([])
      }
      #expect(digest.finish() == whole, "in pieces of \(length)")
    }
  }
}
