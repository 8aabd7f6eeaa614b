import FootageDigest
import FootageBase
import Testing

@Suite struct MD5Tests {
  /// The vectors of RFC 1321 §A.5.
  @Test(
    arguments: [
      ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
      ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
      ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
      (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    ])
  func `the digest of known texts is the known one`(text: String, digest: String) {
    #expect(Hexadecimal.encode(MD5.hash(Array(text.utf8))) == digest)
    var pieces = MD5()
    for byte in text.utf8 { pieces.update([byte]) }
    #expect(Hexadecimal.encode(pieces.finish()) == digest)
  }
}
