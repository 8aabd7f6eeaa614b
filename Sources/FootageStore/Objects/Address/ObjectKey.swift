/// The rules for keys of objects. Keys are UTF-8 and are compared byte by byte: two spellings of an umlaut are equal
/// strings in Swift, but different keys in a store.
enum ObjectKey {
  /// The longest key: 1024 bytes of UTF-8, as in AWS.
  static let longest = 1024

  /// Returns true if a store keeps an object under this key and lists it unchanged.
  static func isUsable(_ key: String) -> Bool {
    guard (1...longest).contains(key.utf8.count), key.utf8.first != UInt8(ascii: "/") else { return false }
    return !key.split(separator: "/", omittingEmptySubsequences: false).contains { isUnusableFolder(String($0)) }
  }

  /// Returns true if the text between two slashes is unusable. Proxies and clients remove `.` and `..` from paths (RFC
  /// 3986 §5.2.4), and XML 1.0 has no control characters (§2.2).
  static func isUnusableFolder(_ name: String) -> Bool {
    name == "." || name == ".."
      || name.unicodeScalars.contains { scalar in
        scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0xFFFE || scalar.value == 0xFFFF
      }
  }

  static func starts(_ key: String, with prefix: String) -> Bool { key.utf8.starts(with: prefix.utf8) }

  /// Returns true if a store lists the first key before the second.
  static func precedes(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}
