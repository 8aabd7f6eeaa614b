/// The name of a recording's version in URLs: the first 16 characters of its entity tag.
///
/// The entity tag of a view is the recording's own entity tag, which is hexadecimal, followed by a hyphen and a text
/// for the view. A robot that knows no views sends the whole recording instead, and a client recognizes this by the
/// missing hyphen.
package struct VersionTag: Hashable, Sendable {
  /// The length in characters.
  package static let length = 16

  /// The requested tag, which is not necessarily the tag of an existing version.
  package let text: String

  package init(text: String) { self.text = text }

  /// - Parameter entityTag: a strong entity tag, with or without its quotes.
  package init(entityTag: String) {
    let quote = UInt8(ascii: "\"")
    let digits = entityTag.utf8.drop { $0 == quote }.prefix(Self.length).prefix { $0 != quote }
    text = String(Substring(digits))
  }

  /// Returns the entity tag of a view, without quotes.
  ///
  /// - Parameters:
  ///   - tag: the recording's entity tag, without quotes.
  ///   - view: the text that distinguishes the views of one version: letters, digits and hyphens.
  package static func entityTag(of tag: String, view: String) -> String { "\(tag)-\(view)" }

  /// Returns true if this is the entity tag of a view and not of a whole recording.
  package static func belongsToView(entityTag: String) -> Bool { entityTag.utf8.contains(UInt8(ascii: "-")) }
}
