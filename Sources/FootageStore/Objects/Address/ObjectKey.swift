/// What keys of objects have to be like. They are UTF-8, compared byte by byte: Swift's own comparison of strings takes
/// two ways to write an umlaut for one, and a store does not.
enum ObjectKey {
  /// AWS: 1024 bytes of UTF-8.
  static let longest = 1024

  /// Whether a store keeps an object under this key, and lists it as it is.
  static func isUsable(_ key: String) -> Bool {
    guard (1...longest).contains(key.utf8.count), key.utf8.first != UInt8(ascii: "/") else { return false }
    return !key.split(separator: "/", omittingEmptySubsequences: false).contains { isUnusableFolder(String($0)) }
  }

  /// What stands between two slashes: proxies and clients leave `.` and `..` out of paths (RFC 3986 §5.2.4), and XML
  /// 1.0 has no control characters (§2.2).
  static func isUnusableFolder(_ name: String) -> Bool {
    name == "." || name == ".."
      || name.unicodeScalars.contains { scalar in
        scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0xFFFE || scalar.value == 0xFFFF
      }
  }

  static func starts(_ key: String, with prefix: String) -> Bool { key.utf8.starts(with: prefix.utf8) }

  /// Whether a store lists the first before the second.
  static func precedes(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}
