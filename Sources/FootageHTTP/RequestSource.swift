/// Whether a web page of another origin sends a request, as far as the browser says (RFC 6454 §7, Fetch Metadata §2): with
/// a client certificate a browser sends whatever any page likes. Programs that are no browsers say nothing of the kind.
extension RequestHead {
  /// True if a page of another origin sends it: such a request changes nothing.
  package var isFromForeignPage: Bool {
    if isFromForeignSite { return true }
    guard let origin = combinedValue(of: .origin) else { return false }
    guard let origin = WebOrigin(String(decoding: origin, as: UTF8.self)),
      let authority = authority.flatMap({ WebOrigin("https://" + String(decoding: $0, as: UTF8.self)) })
    else { return true }
    return origin != authority
  }

  /// True if a page of another origin loads it for itself, and not because somebody has followed a link to it (Fetch
  /// Metadata §2.1 and §2.2): a page could ask for what is costly as often as it likes. Where a browser fetches ahead what
  /// a page names, nobody has followed anything (`Sec-Purpose`, Fetch standard).
  package var isLoadedByForeignPage: Bool {
    guard isFromForeignSite else { return false }
    let isFollowed =
      combinedValue(of: .secFetchMode)?.elementsEqual("navigate".utf8) ?? false
      && combinedValue(of: .secFetchDest)?.elementsEqual("document".utf8) ?? false
      && combinedValue(of: .secPurpose) == nil
    return !isFollowed
  }

  /// True if the browser says that neither a page of this origin nor the person at the browser sends it.
  private var isFromForeignSite: Bool {
    guard let site = combinedValue(of: .secFetchSite) else { return false }
    return !site.elementsEqual("same-origin".utf8) && !site.elementsEqual("none".utf8)
  }
}
