/// What must be true of the page's source, whatever browser shows it.

import Foundation
import Testing

@Suite struct PageFileTests {
  private let page: String

  init() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    page = try String(
      contentsOf: package.appending(path: "Sources/FootageServer/Page/page.html"), encoding: .utf8)
  }

  @Test(arguments: ["<script>", "</script>", "<style>", "</style>"])
  func `there is exactly one style and one script block, for the policy names one digest each`(tag: String) {
    #expect(page.components(separatedBy: tag).count == 2)
  }

  @Test func `the page stays within 44 KiB`() {
    #expect(page.utf8.count <= 44 * 1024)
  }

  @Test(
    arguments: [
      // An attribute that the content-security policy would refuse to run or to apply.
      #"<[^>]*\son[a-z]+\s*="#, #"<[^>]*\sstyle\s*="#,
      // A resource from elsewhere.
      #"(src|href)\s*=\s*["']?(https?:)?//"#, #"url\("#, #"@import"#,
      // A way for the name of a file to become markup or code.
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", #"\beval\b"#, "new Function",
    ])
  func `the page holds nothing that its policy forbids or that trusts a name`(pattern: String) throws {
    let markup = page[..<(page.range(of: "<script>")?.lowerBound ?? page.endIndex)]
    let searched = pattern.hasPrefix("<") ? String(markup) : page
    #expect(searched.range(of: pattern, options: .regularExpression) == nil)
  }
}
