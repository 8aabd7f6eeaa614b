/// The properties that the page must have as it is served, in any browser.

import Foundation
import LinuxTestSupport
import Testing

@Suite(.enabled(if: ServerUnderTest.isThere)) struct PageFileTests {
  private let page: String

  init() async throws {
    let folder = try TemporaryFolder()
    let server = try await ServerUnderTest(in: URL(filePath: folder.location))
    let outcome = try await Command("curl", "--silent", "--insecure", server.address.absoluteString).finished()
    await server.stop()
    page = outcome.output
    #expect(page.hasSuffix("</html>\n"))
  }

  @Test(arguments: ["<script>", "</script>", "<style>", "</style>"])
  func `there is exactly one style and one script block, for the policy names one digest each`(tag: String) {
    #expect(page.components(separatedBy: tag).count == 2)
  }

  @Test func `the page stays within 123 kB`() {
    #expect(page.utf8.count <= 123_000)
  }

  @Test func `spaces between tokens are gone, and those in texts are there`() throws {
    let words = try text(of: Checkout.path("Sources/FootageServer/Page/words.js"))
    let texts = words.matches(of: /: '([^'\n]+)'/).map(\.1)
    #expect(texts.count > 200)
    for text in texts { #expect(page.contains("'\(text)'"), "\(text)") }
    for space in ["const find = id", "=> {", "', '+", ";}"] { #expect(!page.contains(space), "\(space)") }
  }

  @Test func `its modules are joined without a rest`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Checkout.path("Sources/FootageServer/Page"))
    let modules = files.filter { $0.hasSuffix(".js") }
    #expect(modules.count > 10)
    for module in modules {
      #expect(page.components(separatedBy: "\nconst $\(module.dropLast(3))=(()=>{\n").count == 2, "\(module)")
    }
    for rest in [#"(?m)^\s*(import|export)\b"#, #"\.js['"]"#, #"(?m)^\s*//"#] {
      #expect(page.range(of: rest, options: .regularExpression) == nil, "\(rest)")
    }
  }

  @Test(
    arguments: [
      // An attribute that the content security policy would refuse to run or to apply.
      #"<[^>]*\son[a-z]+\s*="#, #"<[^>]*\sstyle\s*="#,
      // A resource from another origin.
      #"(src|href)\s*=\s*["']?(https?:)?//"#, #"url\("#, #"@import"#,
      // A way in which the name of a file could become markup or code.
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", #"\beval\b"#, "new Function",
    ])
  func `the page holds nothing that its policy forbids or that trusts a name`(pattern: String) throws {
    let markup = page[..<(page.range(of: "<script>")?.lowerBound ?? page.endIndex)]
    let searched = pattern.hasPrefix("<") ? String(markup) : page
    #expect(searched.range(of: pattern, options: .regularExpression) == nil)
  }
}
