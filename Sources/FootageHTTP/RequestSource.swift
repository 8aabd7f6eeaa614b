/// Detects requests that a web page of another origin makes a browser send, by the fields with which browsers report
/// that (RFC 6454 §7, Fetch Metadata §2). A browser sends such a request together with the client certificate. Other
/// programs do not send these fields.
extension RequestHead {
  /// True if a page of another origin sends the request. Such a request must not change anything.
  package var isFromForeignPage: Bool {
    if isFromForeignSite { return true }
    guard let origin = combinedValue(of: .origin) else { return false }
    guard let origin = WebOrigin(String(decoding: origin, as: UTF8.self)),
      let authority = authority.flatMap({ WebOrigin("https://" + String(decoding: $0, as: UTF8.self)) })
    else { return true }
    return origin != authority
  }

  /// True if a page of another origin loads the resource for itself, rather than a person following a link to it (Fetch
  /// Metadata §2.1 and §2.2). A page could ask for expensive resources as often as it likes. A browser's prefetch of a
  /// link (`Sec-Purpose`, Fetch standard) counts as loaded by the page, because no person has followed the link.
  package var isLoadedByForeignPage: Bool {
    guard isFromForeignSite else { return false }
    let isFollowed =
      combinedValue(of: .secFetchMode)?.elementsEqual("navigate".utf8) ?? false
      && combinedValue(of: .secFetchDest)?.elementsEqual("document".utf8) ?? false
      && combinedValue(of: .secPurpose) == nil
    return !isFollowed
  }

  /// True if the browser reports that the request comes neither from a page of this origin nor from the person at the
  /// browser.
  private var isFromForeignSite: Bool {
    guard let site = combinedValue(of: .secFetchSite) else { return false }
    return !site.elementsEqual("same-origin".utf8) && !site.elementsEqual("none".utf8)
  }
}
