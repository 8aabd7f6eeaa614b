/// The web page: one document, with a policy that allows its own script and style and nothing else.

internal import Digest
internal import Formats
internal import HTTPSemantics
internal import HTTPTransport

enum Page {
  /// Made once, when it is first asked for.
  static let document: HTTPDocument = {
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
    ]
    return HTTPDocument(
      .ok, mediaType: "text/html; charset=utf-8", bytes: html,
      fields: [
        ("Content-Security-Policy", policy.joined(separator: "; ")),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-cache"),
      ])
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
