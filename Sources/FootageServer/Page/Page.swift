internal import Digest
internal import Formats
internal import HTTPSemantics
internal import HTTPTransport

/// The web page: one document, with a policy that allows its own script and style and nothing else.
enum Page {
  /// For one loop.
  static func document() -> DocumentBody { DocumentBody(PackageResources.page_html, metadata) }

  /// Made once, when it is first asked for. The tag is of the policy, too: a 304 leaves the client with that of the
  /// bytes that it has.
  private static let metadata: RepresentationMetadata = {
    let html = PackageResources.page_html
    let policy = [
      "default-src 'none'",
      "script-src 'sha256-\(hash(of: "script", in: html))'",
      "style-src 'sha256-\(hash(of: "style", in: html))'",
      "img-src 'self' data:",
      "media-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].joined(separator: "; ")
    return RepresentationMetadata(
      length: UInt64(html.count), mediaType: "text/html; charset=utf-8",
      entityTag: DocumentBody.tag(of: html + Array(policy.utf8)), cacheControl: "no-cache",
      others: [("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer")])
  }()

  /// Base64 of the SHA-256 of the one element's text (Content Security Policy 3, §2.3.1).
  private static func hash(of element: String, in html: [UInt8]) -> String {
    guard let start = end(of: Array("<\(element)>".utf8), in: html, from: 0),
      let end = end(of: Array("</\(element)>".utf8), in: html, from: start)
    else { return "" }
    return Base64.encode(SHA256.hash(Array(html[start..<(end - element.utf8.count - 3)])))
  }

  private static func end(of text: [UInt8], in html: [UInt8], from start: Int) -> Int? {
    guard html.count >= text.count, start <= html.count - text.count else { return nil }
    for index in start...(html.count - text.count) where html[index..<(index + text.count)].elementsEqual(text) {
      return index + text.count
    }
    return nil
  }
}
