/// The key that identifies a film in URLs. It is the first 16 hexadecimal digits of the entity tag of a recording's
/// version, or the ID of a growing recording.
///
/// Both have the same form, so that a film keeps its address when its recording is closed.
package struct FilmKey: Hashable, Sendable {
  /// The 16 hexadecimal digits, in lower case.
  package let text: String

  /// - Returns: nil if the text is anything but 16 hexadecimal digits in lower case.
  package init?(_ text: some StringProtocol) {
    let isDigits = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    guard text.utf8.count == VersionTag.length, isDigits else { return nil }
    self.text = String(text)
  }

  /// Creates the key from the hexadecimal digits of a number.
  package init(_ number: UInt64) {
    let digits = String(number, radix: 16)
    text = String(repeating: "0", count: VersionTag.length - digits.utf8.count) + digits
  }

  /// The key's digits as the tag of a version. If the key is the ID of a growing recording, no version has this tag.
  package var versionTag: VersionTag { VersionTag(text: text) }
}
