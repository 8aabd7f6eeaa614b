import FootageBase
import TestSupport
import Testing

@Suite struct NameBytesTests {
  @Test(
    arguments: [
      [], Array("front/50% ü €😀".utf8), [0xE9], Array("latin1-".utf8) + [0xE9] + Array(".mp4".utf8),
      // Truncated, overlong, a surrogate, beyond the last code point.
      [0xC3], [0xE2, 0x82], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF, 0xFE],
      // The code points that the encoding itself uses, whole and in halves.
      [0xEF, 0xB7, 0x90], [0xEF, 0xB7, 0xAF, 0xEF, 0xB7, 0x9E], [0xEF, 0xB7], [0xEF, 0xB7, 0x9E, 0xEF, 0xB7, 0xA9],
      [0xEF, 0xBF, 0xBD], [0xEF, 0xBB, 0xBF],
    ] as [[UInt8]])
  func `no byte is lost`(bytes: [UInt8]) {
    let text = NameBytes.text(bytes)
    #expect(NameBytes.bytes(of: text) == bytes)
    let isPlain = String(validating: bytes, as: UTF8.self) != nil && !bytes.starts(with: [0xEF, 0xB7])
    #expect(NameBytes.isPlain(text) == isPlain)
    if isPlain { #expect(text.utf8.elementsEqual(bytes) && NameBytes.shown(text) == text) }
  }

  @Test func `whatever the bytes are, two names are one text only where they are the same`() {
    var random = SeededGenerator(seed: TestRun.seed(of: "names that are not UTF-8"))
    let interesting: [UInt8] = [0x41, 0xC3, 0xA9, 0xEF, 0xB7, 0x90, 0x9E, 0xA9, 0xAF, 0xFF, 0xE9, 0x80]
    var texts: [[UInt8]: [UInt8]] = [:]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...7, using: &random)).map { _ in
        interesting.randomElement(using: &random) ?? 0x41
      }
      let text = NameBytes.text(bytes)
      #expect(NameBytes.bytes(of: text) == bytes)
      #expect(texts.updateValue(bytes, forKey: Array(text.utf8)) ?? bytes == bytes)
    }
  }

  @Test func `people see that something is there, in a list, a terminal and a URL`() {
    let text = NameBytes.text(Array("kamera-".utf8) + [0xE9, 0xFF] + Array("/x".utf8))
    #expect(NameBytes.shown(text) == "kamera-\u{FFFD}\u{FFFD}/x")
    #expect(TerminalControl.replaced(in: text) == "kamera-\u{FFFD}\u{FFFD}/x")
    #expect(TerminalControl.escaped(text) == "kamera-\\xe9\\xff/x")
    #expect(PercentEncoding.encodeName(text) == "kamera-%E9%FF/x")
    #expect(PercentEncoding.encodeName("ü/x") == "%C3%BC/x")
  }
}
