/// Names in URLs what the parts of a film are cut from: a version of a recording by the first 16 hexadecimal digits of
/// its entity tag, or a growing recording by its ID.
///
/// Both are written alike, so that a film goes on under one address when its recording is closed.
package struct FilmKey: Hashable, Sendable {
  /// 16 hexadecimal digits, in lower case.
  package let text: String

  /// - Returns: nil where the text is anything but 16 hexadecimal digits in lower case.
  package init?(_ text: some StringProtocol) {
    let isDigits = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    guard text.utf8.count == VersionTag.length, isDigits else { return nil }
    self.text = String(text)
  }

  /// The digits of a number.
  package init(_ number: UInt64) {
    let digits = String(number, radix: 16)
    text = String(repeating: "0", count: VersionTag.length - digits.utf8.count) + digits
  }

  /// The same digits as the tag of a version, which is what they are unless they are an ID.
  package var versionTag: VersionTag { VersionTag(text: text) }
}
