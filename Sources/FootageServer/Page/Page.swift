internal import FootageAnswers
internal import CFootagePage
internal import FootageDigest
internal import FootageBase
internal import FootageHTTP
internal import FootageServing

/// The web page: one document, with a policy that allows its own script and style and nothing else.
enum Page {
  /// The document. It is assembled once, when it is first requested.
  private static let html: [UInt8] = {
    var files: [String: String] = [:]
    // Safe because names and bytes are constants of the program.
    while case let file = unsafe cpage_file_at(files.count), let name = unsafe file.name {
      let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
      unsafe files[String(cString: name)] = String(decoding: bytes, as: UTF8.self)
    }
    let (markup, style) = (files.removeValue(forKey: "page.html"), files.removeValue(forKey: "style.css"))
    return Array(PageSource(markup: markup ?? "", style: style ?? "", modules: files).document(entry: "page.js").utf8)
  }()

  /// Returns the page as a document for one loop.
  static func document(isShared: Bool) -> DocumentBody {
    DocumentBody(html, isShared ? sharedMetadata : privateMetadata)
  }

  // Made once, when they are first asked for.
  private static let sharedMetadata = metadata(isShared: true)
  private static let privateMetadata = metadata(isShared: false)

  /// Returns the metadata of the page. Its tag also depends on the policy, because a 304 makes the client keep the
  /// fields that came with its copy.
  private static func metadata(isShared: Bool) -> RepresentationMetadata {
    let policy = [
      "default-src 'none'",
      "script-src 'sha256-\(hash(of: "script", in: html))'",
      "style-src 'sha256-\(hash(of: "style", in: html))'",
      "img-src 'self' data:",
      "media-src 'self' blob:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].joined(separator: "; ")
    return RepresentationMetadata(
      length: UInt64(html.count), mediaType: "text/html; charset=utf-8",
      entityTag: DocumentBody.tag(of: html + Array(policy.utf8)),
      cacheControl: Cacheability.revalidated(isShared: isShared).text,
      others: [("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer")])
  }

  /// Returns the Base64 of the SHA-256 of an element's text, by which the policy allows the element (Content Security
  /// Policy 3, §2.3.1). The element must occur once.
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

/// The two forms of the page: one that shared caches may keep, and one that only the client may keep. Belongs to its
/// loop's thread.
struct Pages {
  private let shared = Page.document(isShared: true)
  private let own = Page.document(isShared: false)

  func document(isShared: Bool) -> DocumentBody { isShared ? shared : own }
}
