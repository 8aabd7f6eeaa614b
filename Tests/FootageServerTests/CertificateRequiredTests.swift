import FootageHTTP
import FootageServing
import Testing

@testable import FootageServer

/// The answer to a client without a certificate.
@Suite struct CertificateRequiredTests {
  @Test(
    arguments: [
      (nil, false), ("text/html", true), ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
      ("*/*", false), ("application/json", false), ("application/json, text/html", true),
      ("application/json;q=0.5, text/html;q=0.4", false), ("text/html;q=0.4, application/problem+json;q=0.4", true),
      ("text/html;q=0", false), ("TEXT/HTML", true), ("text/html ; q=0.9", true), ("text/html;q=2", false),
      ("text/html;q=x", false), ("text/html;level=1;q=0.1, application/json;q=0.2", false), ("", false),
      ("text/html;q=0.001", true), ("text/html;q=1.000", true),
    ] as [(String?, Bool)])
  func `a person with a browser gets a page, and a program a problem document`(accept: String?, isPage: Bool) throws {
    let head = try request("/recordings", accept.map { ["Accept: \($0)"] } ?? [])
    let document = CertificateRequired.document(for: head)
    #expect(document.status == .forbidden)
    #expect(document.mediaType == (isPage ? "text/html; charset=utf-8" : "application/problem+json"))
    #expect(document.fields.contains { $0.name.description == "Cache-Control" && $0.value == "no-store" })
  }

  @Test func `what could not be read is answered to a program`() {
    #expect(CertificateRequired.document(for: nil).mediaType == "application/problem+json")
  }
}
