/// Names a version of a recording in URLs: the first 16 characters of its entity tag.
///
/// The entity tag of a view begins with that of the recording, which is hexadecimal, and goes on with a hyphen: so a
/// client can tell it from that of the whole, which a robot without views answers with.
package struct VersionTag: Hashable, Sendable {
  /// In characters.
  package static let length = 16

  /// What was asked for, which need not be the tag of anything.
  package let text: String

  package init(text: String) { self.text = text }

  /// - Parameter entityTag: strong, with or without its quotes.
  package init(entityTag: String) {
    let quote = UInt8(ascii: "\"")
    let digits = entityTag.utf8.drop { $0 == quote }.prefix(Self.length).prefix { $0 != quote }
    text = String(Substring(digits))
  }

  /// The entity tag of a view, without quotes.
  ///
  /// - Parameters:
  ///   - tag: the recording's entity tag, without quotes.
  ///   - view: tells views of one version apart: letters, digits and hyphens.
  package static func entityTag(of tag: String, view: String) -> String { "\(tag)-\(view)" }

  /// Whether this is the entity tag of a view, and not of a whole recording.
  package static func belongsToView(entityTag: String) -> Bool { entityTag.utf8.contains(UInt8(ascii: "-")) }
}
