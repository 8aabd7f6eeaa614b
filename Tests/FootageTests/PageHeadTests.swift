/// The page's policy for the browser: its own blocks, and nothing from elsewhere.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct PageHeadTests {
  @Test func `the policy allows exactly the page's own script and style, by their hashes`() throws {
    try withServer { server in
      let answer = try server.curl("--include", server.url + "/").run().output
      let html = try server.get("/")
      let policy = try #require(answer.firstMatch(of: /Content-Security-Policy: ([^\r\n]+)/)).1
      let directives = policy.split(separator: ";").map { $0.split(separator: " ").map(String.init) }
      #expect(directives.contains(["default-src", "'none'"]))
      for (element, directive) in [("script", "script-src"), ("style", "style-src")] {
        let blocks = html.matches(of: try Regex("(?s)<\(element)>(.*?)</\(element)>", as: (Substring, Substring).self))
        let hashes = try blocks.map { "'sha256-" + (try hash(of: String($0.1))) + "'" }
        let allowed = directives.first { $0.first == directive }?.dropFirst().filter { $0 != "'sha256-'" }
        #expect(allowed.map(Set.init) == Set(hashes), "\(directive)")
        // A block with attributes would not be among the hashed ones.
        #expect(html.components(separatedBy: "<\(element)").count == blocks.count + 1)
      }
      #expect(!policy.contains("unsafe"))
      #expect(!policy.contains("*"))
      for source in directives.flatMap({ $0.dropFirst() }) {
        #expect(source.hasPrefix("'") || source == "data:" || source == "blob:", "\(source) is somewhere else")
      }
      #expect(answer.components(separatedBy: "X-Content-Type-Options: nosniff").count == 2)
      #expect(answer.contains("Referrer-Policy: no-referrer"))
      #expect(answer.contains("Content-Type: text/html; charset=utf-8"))
    }
  }

  @Test func `whatever is served is not guessed at, and not for the pages of others`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      for (path, status) in [
        ("/", 206), ("/health", 200), ("/recordings", 206), ("/cameras", 206), ("/recordings/x.json", 206),
        ("/recordings/x.mp4", 206), ("/nothing", 404),
      ] {
        let head = try server.curl("--include", "--range", "0-1", server.url + path).run().output
        #expect(head.hasPrefix("HTTP/1.1 \(status) "))
        for field in ["X-Content-Type-Options: nosniff\r\n", "Cross-Origin-Resource-Policy: same-origin\r\n"] {
          #expect(head.components(separatedBy: field).count == 2, "\(field) in the answer to \(path)")
        }
      }
    }
  }

  @Test func `the page names no resource outside of it and no handler that the policy would block`() throws {
    try withServer { server in
      let html = try server.get("/")
      let addresses = html.matches(of: /https?:\/\/[^\s"'<>)]+/).map { String($0.0) }
      #expect(addresses.filter { !$0.hasPrefix("http://www.w3.org/") } == [])
      for forbidden in [
        /<link\b[^>]*\bhref\s*=\s*["']?(?!["']?data:)[^>]*>/, /<[a-z]+\b[^>]*\bsrc\s*=\s*["']?\/\/[^>]*>/,
        /<[a-z][^>]*\son[a-z]+\s*=[^>]*>/, /<[a-z][^>]*\sstyle\s*=[^>]*>/, /@import[^;]*/,
      ] {
        #expect(html.matches(of: forbidden).map { String($0.0) } == [])
      }
    }
  }

  private func hash(of text: String) throws -> String {
    let outcome = try Command("bash", "-c", "openssl dgst -sha256 -binary | base64 -w0", input: text).run()
    try #require(outcome.succeeded)
    return outcome.output
  }
}
