/// Whether a request that changes something may come from a web page.
extension RequestHead {
  /// Whether a page of another origin sends it, as far as the browser says (RFC 6454 §7, Fetch Metadata §2): with a
  /// client certificate a browser sends whatever any page likes. Who is no browser says nothing of the kind.
  package var isFromForeignPage: Bool {
    if let site = combinedValue(of: .secFetchSite),
      !site.elementsEqual("same-origin".utf8), !site.elementsEqual("none".utf8)
    {
      return true
    }
    guard let origin = combinedValue(of: .origin) else { return false }
    guard let origin = WebOrigin(String(decoding: origin, as: UTF8.self)),
      let authority = authority.flatMap({ WebOrigin("https://" + String(decoding: $0, as: UTF8.self)) })
    else { return true }
    return origin != authority
  }
}
