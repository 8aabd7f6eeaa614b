package import FootageBase
internal import FootageSystem

/// The address of objects: a bucket of a store with the S3 API, and the prefix of their keys there.
package struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
  /// The position of the bucket in a request.
  package enum Style: String, Hashable, Sendable, CaseIterable {
    /// The form `https://HOST/BUCKET/KEY`, which every engine supports.
    case path
    /// The form `https://BUCKET.HOST/KEY`.
    case virtualHost
  }

  /// The host and port of the store itself, without the bucket.
  package let store: HostPort
  /// True if TLS is used. Without TLS, only addresses of this machine itself are allowed.
  package let isEncrypted: Bool
  package let bucket: String
  /// The prefix of every object's key. It is empty, or ends with a slash and does not begin with one.
  package let prefix: String
  package let style: Style
  /// The region as it is named in a signature. Engines without regions accept any.
  package let region: String

  package static let standardRegion = "us-east-1"

  /// Parses `https://HOST[:PORT]/BUCKET[/PREFIX]`, or the same with `http` and an address of this machine's loopback.
  /// Parts may be percent-encoded.
  package init(
    _ text: String, style: Style = .path, region: String = standardRegion
  ) throws(StoreAddressError) {
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { throw .blanks }
    guard let (before, rest) = URLText.split(text) else { throw .noScheme(text) }
    let scheme = before.lowercased()
    guard scheme == "https" || scheme == "http" else { throw .otherScheme(scheme) }
    isEncrypted = scheme == "https"
    let hostEnd = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    let host = String(rest[..<hostEnd])
    // These are credentials, which must not be repeated.
    guard !host.utf8.contains(UInt8(ascii: "@")) else { throw .credentialsInAddress }
    guard let store = HostPort(host, standardPort: isEncrypted ? 443 : 80) else { throw .malformedHost(host) }
    self.store = store
    if !isEncrypted {
      guard SocketAddress(literal: store.host, port: store.port)?.isLoopback == true else {
        throw .unencrypted(store.host)
      }
    }
    let path = rest[hostEnd...]
    guard !path.utf8.contains(UInt8(ascii: "?")), !path.utf8.contains(UInt8(ascii: "#")) else { throw .query }
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
    guard let first = parts.first, !first.isEmpty else { throw .noBucket }
    bucket = try Self.text(first)
    guard Self.isBucket(bucket) else { throw .malformedBucket(bucket) }
    var folders: [String] = []
    for part in parts.dropFirst() where !part.isEmpty { folders.append(try Self.text(part)) }
    prefix = folders.isEmpty ? "" : folders.joined(separator: "/") + "/"
    guard prefix.utf8.count <= Self.longestPrefix, !folders.contains(where: ObjectKey.isUnusableFolder) else {
      throw .malformedPrefix(prefix)
    }
    if style == .virtualHost {
      // An address has no names below it, and the asterisk in a certificate stands for one label.
      guard SocketAddress(literal: store.host, port: store.port) == nil else { throw .bucketBeforeAddress(store.host) }
      guard !bucket.utf8.contains(UInt8(ascii: ".")) else { throw .bucketIsNoLabel(bucket) }
    }
    self.style = style
    guard !region.isEmpty, region.utf8.count <= 64,
      region.utf8.allSatisfy({ Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
    else { throw .malformedRegion(region) }
    self.region = region
  }

  /// The length of the longest prefix in bytes. A key has 1024 bytes at most, of which names need a large part.
  private static let longestPrefix = 512

  private static func text(_ part: Substring.UTF8View) throws(StoreAddressError) -> String {
    guard let bytes = PercentEncoding.decode(part), let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformedEncoding(String(Substring(part)))
    }
    return text
  }

  /// Returns true for 3 to 63 lower-case letters, digits, dots and hyphens (AWS). Other engines also allowed capitals,
  /// underscores and longer names.
  private static func isBucket(_ name: String) -> Bool {
    (3...255).contains(name.utf8.count) && name != "..."
      && name.utf8.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  // MARK: The form in requests

  /// The server to connect to. Its certificate must be valid for this name.
  package var server: HostPort {
    style == .path ? store : HostPort(host: "\(bucket).\(store.host)", port: store.port)
  }

  /// The value of the `Host` field, in requests and in signatures: without the port if it is the standard one (RFC 9110
  /// §4.2.3).
  var hostField: String {
    guard server.port == (isEncrypted ? 443 : 80) else { return server.authority }
    return server.host.utf8.contains(UInt8(ascii: ":")) ? "[\(server.host.prefix { $0 != "%" })]" : server.host
  }

  /// Returns the path of an object, percent-encoded once.
  ///
  /// - Parameter key: the whole key, with the prefix; nil for the bucket itself.
  func path(of key: String?) -> String {
    let key = PercentEncoding.encodePath(key ?? "")
    return style == .path ? "/\(PercentEncoding.encodePath(bucket))\(key.isEmpty ? "" : "/\(key)")" : "/\(key)"
  }

  /// The address as it was given, except for the standard port and escapes.
  package var description: String {
    let path = PercentEncoding.encodePath("\(bucket)/\(prefix)")
    let host = HostPort(host: store.host, port: store.port).description
    return "\(isEncrypted ? "https" : "http")://\(host)/\(path)"
  }
}

/// A minimal parser of URLs.
enum URLText {
  /// Returns the parts before and after `://`; nil if the text has none.
  static func split(_ text: String) -> (scheme: Substring, rest: Substring)? {
    let mark = Array("://".utf8)
    let bytes = text.utf8
    guard let colon = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else { return nil }
    return (text[..<colon], text[bytes.index(colon, offsetBy: mark.count)...])
  }
}

/// The reason why a text is not the address of a store.
package enum StoreAddressError: Error, Hashable, Sendable, CustomStringConvertible {
  case blanks
  case noScheme(String)
  case otherScheme(String)
  case malformedHost(String)
  case credentialsInAddress
  case unencrypted(String)
  case query
  case noBucket
  case malformedBucket(String)
  case malformedPrefix(String)
  case malformedEncoding(String)
  case bucketBeforeAddress(String)
  case bucketIsNoLabel(String)
  case malformedRegion(String)

  package var description: String {
    switch self {
    case .blanks: "a store address cannot contain spaces or control characters: write %20 for a space"
    case .noScheme(let text): "'\(text)' is not a valid store address: use https://HOST/BUCKET/PREFIX"
    case .otherScheme(let scheme): "'\(scheme)' is not a valid scheme for a store: use https://HOST/BUCKET/PREFIX"
    case .malformedHost(let host): "'\(host)' is not a valid store host: use HOST or HOST:PORT"
    case .credentialsInAddress: "a store address cannot contain credentials: keep them in a separate file"
    case .unencrypted(let host):
      """
      '\(host)' may be another machine, and http:// does not encrypt: use https://, or a loopback address of this \
      machine, for example 127.0.0.1
      """
    case .query: "a store address cannot have a query or a fragment: write %3F for a question mark and %23 for a #"
    case .noBucket: "the store address names no bucket: use https://HOST/BUCKET/PREFIX"
    case .malformedBucket(let bucket):
      "'\(bucket)' is not a valid bucket: use at least 3 letters, digits, hyphens, dots or underscores"
    case .malformedPrefix(let prefix):
      "'\(prefix)' is not a valid prefix: a part is '.' or '..' or has control characters, or it exceeds 512 bytes"
    case .malformedEncoding(let part): "'\(part)' is not percent-encoded UTF-8"
    case .bucketBeforeAddress(let host):
      "a bucket cannot precede an IP address ('\(host)'): use the store's host name, or put the bucket in the path"
    case .bucketIsNoLabel(let bucket):
      "no certificate is valid for '\(bucket)' before a host name, because it has a dot: put the bucket in the path"
    case .malformedRegion(let region):
      "'\(region)' is not a valid region: use letters, digits and hyphens, for example us-east-1"
    }
  }
}
