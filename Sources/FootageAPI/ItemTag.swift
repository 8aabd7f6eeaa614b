/// The `tag` of a listed recording: the first 16 hexadecimal digits of the entity tag of its version, or the ID of a
/// growing recording.
package struct ItemTag: Hashable, Sendable {
  /// The 16 hexadecimal digits, in lower case.
  package let text: String

  /// - Returns: nil if the text is anything but 16 hexadecimal digits in lower case.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == VersionTag.length, text.utf8.allSatisfy(\.isLowercaseHexadecimalDigit) else { return nil }
    self.text = String(text)
  }

  /// Creates the tag from the hexadecimal digits of a number.
  package init(_ number: UInt64) {
    let digits = String(number, radix: 16)
    text = String(repeating: "0", count: VersionTag.length - digits.utf8.count) + digits
  }

  /// The same digits as the tag of a version. If they are the ID of a growing recording, no version has this tag.
  package var versionTag: VersionTag { VersionTag(text: text) }
}

extension UInt8 {
  /// True for `0` to `9` and `a` to `f`.
  var isLowercaseHexadecimalDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
  }
}
