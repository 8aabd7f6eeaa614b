/// The permission for caches to keep an answer (RFC 9111 §5.2.2): the field `Cache-Control`.
package enum Cacheability: Hashable {
  /// A cache may keep the answer, but has to check its tag with the server each time.
  case revalidated(isShared: Bool)
  /// A cache may keep the answer for a year. The client asked for a version, and the answer is always that version (RFC
  /// 8246 §2).
  case forEver(isShared: Bool)
  /// No cache keeps the answer.
  case never

  package var text: String {
    switch self {
    case .revalidated(isShared: true): "no-cache"
    case .revalidated(isShared: false): "private, no-cache"
    case .forEver(isShared: true): "max-age=31536000, immutable"
    case .forEver(isShared: false): "private, max-age=31536000, immutable"
    case .never: "no-store"
    }
  }
}
