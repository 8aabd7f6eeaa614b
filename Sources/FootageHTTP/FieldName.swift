/// The header fields that this module or its callers ask for. All others are checked and skipped.

/// A header field of RFC 7240, RFC 9110, RFC 9111 or RFC 9112, or one that browsers send. There are at most 64, because
/// each has a bit in a `FieldIndex`.
package enum FieldName: UInt8, Hashable, Sendable, CaseIterable {
  case accept, acceptEncoding, acceptRanges, allow, authorization, cacheControl, connection, contentEncoding
  case contentLength, contentRange, contentType, date, etag, expect, host, ifMatch, ifModifiedSince, ifNoneMatch
  case ifRange, ifUnmodifiedSince, keepAlive, lastModified, location, origin, prefer, range, referer, retryAfter
  case secFetchDest, secFetchMode, secFetchSite, secPurpose, trailer, transferEncoding, upgrade, userAgent, vary
  case wwwAuthenticate

  /// The name in lower case. In a message its letters may have either case (RFC 9110 §5.1).
  package var lowercase: StaticString {
    switch self {
    case .accept: "accept"
    case .acceptEncoding: "accept-encoding"
    case .acceptRanges: "accept-ranges"
    case .allow: "allow"
    case .authorization: "authorization"
    case .cacheControl: "cache-control"
    case .connection: "connection"
    case .contentEncoding: "content-encoding"
    case .contentLength: "content-length"
    case .contentRange: "content-range"
    case .contentType: "content-type"
    case .date: "date"
    case .etag: "etag"
    case .expect: "expect"
    case .host: "host"
    case .ifMatch: "if-match"
    case .ifModifiedSince: "if-modified-since"
    case .ifNoneMatch: "if-none-match"
    case .ifRange: "if-range"
    case .ifUnmodifiedSince: "if-unmodified-since"
    case .keepAlive: "keep-alive"
    case .lastModified: "last-modified"
    case .location: "location"
    case .origin: "origin"
    case .prefer: "prefer"
    case .range: "range"
    case .referer: "referer"
    case .retryAfter: "retry-after"
    case .secFetchDest: "sec-fetch-dest"
    case .secFetchMode: "sec-fetch-mode"
    case .secFetchSite: "sec-fetch-site"
    case .secPurpose: "sec-purpose"
    case .trailer: "trailer"
    case .transferEncoding: "transfer-encoding"
    case .upgrade: "upgrade"
    case .userAgent: "user-agent"
    case .vary: "vary"
    case .wwwAuthenticate: "www-authenticate"
    }
  }

  /// Finds the field with this name; nil if it is not one of these.
  init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty, let name = Self.candidate(bytes, range),
      ASCII.matches(bytes, range, ignoringCase: name.lowercase)
    else { return nil }
    self = name
  }

  /// Returns the only possible name, found by its length and by a letter that distinguishes the names of this length.
  private static func candidate(_ bytes: Span<UInt8>, _ range: Range<Int>) -> FieldName? {
    let first = ASCII.lowercased(bytes[range.lowerBound])
    return switch range.count {
    case 4:
      first == UInt8(ascii: "h")
        ? .host : first == UInt8(ascii: "d") ? .date : first == UInt8(ascii: "e") ? .etag : .vary
    case 5: first == UInt8(ascii: "r") ? .range : .allow
    case 6:
      switch first {
      case UInt8(ascii: "a"): .accept
      case UInt8(ascii: "e"): .expect
      case UInt8(ascii: "p"): .prefer
      default: .origin
      }
    case 7: first == UInt8(ascii: "u") ? .upgrade : first == UInt8(ascii: "r") ? .referer : .trailer
    case 8:
      first == UInt8(ascii: "l")
        ? .location : ASCII.lowercased(bytes[range.lowerBound + 3]) == UInt8(ascii: "m") ? .ifMatch : .ifRange
    case 10: first == UInt8(ascii: "c") ? .connection : first == UInt8(ascii: "k") ? .keepAlive : .userAgent
    case 11: first == UInt8(ascii: "s") ? .secPurpose : .retryAfter
    case 12: .contentType
    case 13:
      switch first {
      case UInt8(ascii: "i"): .ifNoneMatch
      case UInt8(ascii: "l"): .lastModified
      case UInt8(ascii: "a"):
        ASCII.lowercased(bytes[range.lowerBound + 1]) == UInt8(ascii: "c") ? .acceptRanges : .authorization
      default: ASCII.lowercased(bytes[range.lowerBound + 1]) == UInt8(ascii: "a") ? .cacheControl : .contentRange
      }
    case 14:
      switch (first, ASCII.lowercased(bytes[range.lowerBound + 10])) {
      case (UInt8(ascii: "c"), _): .contentLength
      case (_, UInt8(ascii: "d")): .secFetchDest
      case (_, UInt8(ascii: "m")): .secFetchMode
      default: .secFetchSite
      }
    case 15: .acceptEncoding
    case 16: first == UInt8(ascii: "c") ? .contentEncoding : .wwwAuthenticate
    case 17: first == UInt8(ascii: "t") ? .transferEncoding : .ifModifiedSince
    case 19: .ifUnmodifiedSince
    default: nil
    }
  }
}
