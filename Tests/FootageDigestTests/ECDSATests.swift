import FootageDigest
import FootageBase
import TestSupport
import Testing

@Suite struct ECDSATests {
  /// A key with one of its signatures, as a standard publishes them.
  struct Vector: Sendable, CustomTestStringConvertible {
    let curve: String
    let message: String
    let key: [UInt8]
    let signature: [UInt8]

    var testDescription: String { "\(curve), \(message)" }

    init(_ curve: String, _ point: String, _ message: String, r: String, s: String) {
      self.curve = curve
      self.message = message
      // RFC 5480 §2.1.1.1: ecPublicKey with the curve's name, and an uncompressed point.
      let name = curve == "P-256" ? "06082a8648ce3d030107" : "06052b81040022"
      let algorithm = Self.element(0x30, Self.bytes("06072a8648ce3d0201") + Self.bytes(name))
      key = Self.element(0x30, algorithm + Self.element(0x03, [0, 4] + Self.bytes(point)))
      signature = Self.element(0x30, Self.integer(r) + Self.integer(s))
    }

    private static func bytes(_ digits: String) -> [UInt8] { Hexadecimal.decode(digits.lowercased()) ?? [] }

    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
      precondition(contents.count < 128)
      return [tag, UInt8(contents.count)] + contents
    }

    private static func integer(_ digits: String) -> [UInt8] {
      let number = Array(bytes(digits).drop { $0 == 0 })
      return element(0x02, number.first.map { $0 >= 0x80 } == true ? [0] + number : number)
    }
  }

  /// The vectors of RFC 6979 §A.2.5 and §A.2.6, with SHA-256.
  static let vectors = [
    Vector(
      "P-256",
      "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
        + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299", "sample",
      r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
      s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
    Vector(
      "P-256",
      "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
        + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299", "test",
      r: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
      s: "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"),
    Vector(
      "P-384",
      "EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64DEF8F0EA9055866064A254515480BC13"
        + "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1288B231C3AE0D4FE7344FD2533264720", "sample",
      r: "21B13D1E013C7FA1392D03C5F99AF8B30C570C6F98D4EA8E354B63A21D3DAA33BDE1E888E63355D92FA2B3C36D8FB2CD",
      s: "F3AA443FB107745BF4BD77CB3891674632068A10CA67E3D45DB2266FA7D1FEEBEFDC63ECCD1AC42EC0CB8668A4FA0AB0"),
  ]

  @Test(arguments: vectors) func `a published signature is valid`(vector: Vector) {
    #expect(ECDSA.verify(vector.signature, of: Array(vector.message.utf8), by: vector.key) == .valid)
  }

  @Test(arguments: vectors) func `with any bit of it changed it is not`(vector: Vector) {
    for position in vector.signature.indices {
      var signature = vector.signature
      signature[position] ^= 1
      #expect(ECDSA.verify(signature, of: Array(vector.message.utf8), by: vector.key) != .valid, "at \(position)")
    }
    #expect(ECDSA.verify(vector.signature, of: Array("Sample".utf8), by: vector.key) == .invalid)
    #expect(ECDSA.verify([], of: Array(vector.message.utf8), by: vector.key) == .invalid)
    #expect(ECDSA.verify(vector.signature + [0], of: Array(vector.message.utf8), by: vector.key) == .invalid)
    #expect(
      ECDSA.verify(Array(vector.signature.dropLast()), of: Array(vector.message.utf8), by: vector.key) == .invalid)
  }

  @Test func `another key's signature is invalid`() {
    let (one, other) = (Self.vectors[0], Self.vectors[2])
    #expect(ECDSA.verify(other.signature, of: Array("sample".utf8), by: one.key) == .invalid)
    #expect(ECDSA.verify(one.signature, of: Array("sample".utf8), by: other.key) == .invalid)
  }

  @Test(arguments: [
    ("nothing", []), ("a byte", [0x30]),
    ("a byte too many", vectors[0].key + [0]), ("cut short", Array(vectors[0].key.dropLast())),
    ("a point off the curve", Array(vectors[0].key.dropLast()) + [0x98]),
  ])
  func `what is no key on one of the curves is told so`(what: String, key: [UInt8]) {
    #expect(ECDSA.verify(Self.vectors[0].signature, of: Array("sample".utf8), by: key) == .unsupportedKey, "\(what)")
  }

  @Test(arguments: [
    "-algorithm EC -pkeyopt ec_paramgen_curve:secp256k1", "-algorithm EC -pkeyopt ec_paramgen_curve:P-521",
    "-algorithm RSA", "-algorithm ED25519",
  ])
  func `a key of another kind is told so`(options: String) throws {
    let outcome = try Command(
      "sh", "-c", "openssl genpkey \(options) 2>/dev/null | openssl pkey -pubout -outform DER | openssl base64 -A"
    ).run()
    let key = try #require(Base64.decode(outcome.output))
    #expect(ECDSA.verify(Self.vectors[0].signature, of: Array("sample".utf8), by: key) == .unsupportedKey)
  }
}
