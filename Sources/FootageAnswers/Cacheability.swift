/// For how long an answer may be kept, and by whom (RFC 9111 §5.2.2): the field `Cache-Control`.
package enum Cacheability: Hashable {
  /// It is asked for again by its tag each time.
  case revalidated(isShared: Bool)
  /// It was asked for by its version, and is that for ever (RFC 8246 §2).
  case forEver(isShared: Bool)
  /// Nobody keeps it.
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
