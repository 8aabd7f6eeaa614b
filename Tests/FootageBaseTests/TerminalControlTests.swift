import FootageBase
import Testing

@Suite struct TerminalControlTests {
  @Test(arguments: [
    ("plain ü 録画 🎥", "plain ü 録画 🎥"), ("one\ntwo", "one\\x0atwo"), ("\u{7F}", "\\x7f"),
    ("a\u{9B}31mb", "a\\xc2\\x9b31mb"), ("a\u{202E}b", "a\\xe2\\x80\\xaeb"),
    ("\u{2066}\u{2069}", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"),
    ("\u{200E}\u{200F}", "\\xe2\\x80\\x8e\\xe2\\x80\\x8f"), ("\u{61C}", "\\xd8\\x9c"),
    ("\u{2028}\u{2029}", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9"), ("©…آ€", "©…آ€"),
  ])
  func `what a terminal obeys is escaped, and nothing else`(text: String, escaped: String) {
    #expect(TerminalControl.escaped(text) == escaped)
    #expect(TerminalControl.replaced(in: text).unicodeScalars.allSatisfy { !TerminalControl.contains($0) })
  }

  @Test func `a line that is too long is cut, and says so`() {
    let cut = TerminalControl.escaped(String(repeating: "ü", count: 1_000), limit: 100)
    #expect(cut.utf8.count <= 100 && cut.hasSuffix("ü…"))
    let escaped = TerminalControl.escaped(String(repeating: "\u{202E}", count: 1_000), limit: 100)
    #expect(escaped.utf8.count <= 110 && escaped.hasSuffix("\\xae…"))
    #expect(TerminalControl.escaped("short", limit: 100) == "short")
  }

  @Test func `in a terminal a replacement stands for it`() {
    #expect(TerminalControl.replaced(in: "a\u{1B}[2Jb\u{202E}") == "a\u{FFFD}[2Jb\u{FFFD}")
  }
}
