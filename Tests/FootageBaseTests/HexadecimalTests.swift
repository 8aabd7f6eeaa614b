import FootageBase
import Testing

@Suite struct HexadecimalTests {
  @Test func `bytes are two lower-case digits each`() {
    #expect(Hexadecimal.encode([0x00, 0x09, 0x0A, 0x9F, 0xF0, 0xFF]) == "00090a9ff0ff")
    #expect(Hexadecimal.encode([UInt8]()) == "")
  }

  @Test func `letters are upper case where they are asked for`() {
    #expect(Hexadecimal.encode([0x00, 0x09, 0x0A, 0x9F, 0xF0, 0xFF], .upper) == "00090A9FF0FF")
  }

  @Test(arguments: [(0, "0"), (9, "9"), (10, "A"), (0x10, "10"), (0x60_0000, "600000"), (.max, "FFFFFFFF")])
  func `a number has no leading zeros`(number: UInt32, text: String) {
    #expect(Hexadecimal.encodeShortest(number) == text)
  }

  @Test func `a digit's value is known in either case, and nothing else has one`() {
    let digits = Dictionary(
      uniqueKeysWithValues: zip("0123456789abcdefABCDEF".utf8, Array(0...15) + Array(10...15) as [UInt8]))
    for byte in UInt8.min...UInt8.max { #expect(Hexadecimal.value(byte) == digits[byte], "\(byte)") }
  }

  @Test func `a value's digit has this value`() {
    for value in UInt8(0)..<16 { #expect(Hexadecimal.value(Hexadecimal.digit(value)) == value) }
  }
}
