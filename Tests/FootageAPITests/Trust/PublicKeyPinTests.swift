import FootageBase
import TestSupport
import Testing
import FootageAPI

/// Pins in the forms that programs print.
@Suite struct PublicKeyPinTests {
  private static let digest: [UInt8] = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 251) }
  private static var base64: String { Base64.encode(digest) }
  private static var hexadecimal: String { Hexadecimal.encode(digest) }
  private static var urlSafe: String {
    base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  @Test func `a pin is read as Footage, curl, TrustKit and openssl write it`() throws {
    let pairs = stride(from: 0, to: 64, by: 2).map { index in
      String(Array(Self.hexadecimal)[index..<(index + 2)])
    }
    let forms = [
      "sha256/\(Self.base64)", " sha256/\(Self.base64)\r\n", "sha256//\(Self.base64)", Self.base64, Self.urlSafe,
      "sha256/\(Self.urlSafe)", Self.hexadecimal, Self.hexadecimal.uppercased(), pairs.joined(separator: ":"),
      "sha256/\(Self.hexadecimal)",
    ]
    for form in forms {
      #expect(PublicKeyPin(form)?.digest == Self.digest, "\(form)")
      #expect(PublicKeyPin(form)?.description == "sha256/\(Self.base64)")
    }
  }

  @Test func `a digest that begins with a slash is told from curl's second one`() throws {
    let digest = [UInt8](repeating: 0xFF, count: 32)
    let base64 = Base64.encode(digest)
    #expect(base64.hasPrefix("/"))
    #expect(PublicKeyPin("sha256/\(base64)")?.digest == digest)
    #expect(PublicKeyPin("sha256//\(base64)")?.digest == digest)
  }

  @Test(arguments: [
    "", "sha256/", "sha256//", "sha1/AAAA", "robot.local", "AAAA", "server.pin", String(repeating: "A", count: 42),
    String(repeating: "A", count: 44), String(repeating: "0", count: 63), String(repeating: "0", count: 65),
    "0:" + String(repeating: "0", count: 63), "sha256///" + String(repeating: "A", count: 43) + "=",
    String(repeating: "g", count: 64), "/" + String(repeating: "A", count: 43) + "=",
  ])
  func `what is none is refused`(_ text: String) { #expect(PublicKeyPin(text) == nil) }
}
