package import Formats

/// What is shown of a recording.
package enum RecordingView: Hashable, Sendable {
  /// What the list says of it: `NAME.json`.
  case details
  /// A refused file, as it is: `NAME.raw`.
  case raw
  /// That it is kept from being deleted: `NAME.keep`, which is put there and taken away.
  case protection
  /// All of it: `NAME.mp4`.
  ///
  /// - Parameter version: with it the answer is that version's for ever; nil for the one that is there.
  case movie(version: VersionTag?)
  /// The sync sample at or before a second of its presentation, as a movie of one sample: `NAME.mp4?keyframe=S`.
  case keyFrame(at: DecimalSeconds, version: VersionTag?)

  package var version: VersionTag? {
    switch self {
    case .details, .raw, .protection: nil
    case .movie(let version), .keyFrame(_, let version): version
    }
  }
}

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
  package init(entityTag: some StringProtocol) {
    text = String(decoding: entityTag.utf8.filter { $0 != UInt8(ascii: "\"") }.prefix(Self.length), as: UTF8.self)
  }

  /// The entity tag of a view, without quotes.
  ///
  /// - Parameters:
  ///   - tag: the recording's entity tag, without quotes.
  ///   - view: tells views of one version apart: letters, digits and hyphens.
  package static func entityTag(of tag: String, view: String) -> String { "\(tag)-\(view)" }

  /// Whether this is the entity tag of a view, and not of a whole recording.
  package static func isOfView(entityTag: String) -> Bool { entityTag.utf8.contains(UInt8(ascii: "-")) }
}

extension RecordingView {
  /// A target with one of these parameters asks for a view, and all its parameters are the view's.
  private static let viewParameters = ["keyframe", "keys", "speed", "start", "end", "from", "to"]

  /// - Throws: `ResourceError.badQuery`, `.unsupportedView`.
  init(movieWith parameters: QueryParameters) throws(ResourceError) {
    let isView = parameters.members.contains { member in
      Self.viewParameters.contains { member.name.elementsEqual($0.utf8) }
    }
    guard isView else {
      // What nobody knows is ignored; so is an empty version.
      self = .movie(version: parameters["v"].map { VersionTag(text: $0) })
      return
    }
    var values: [String: String] = [:]
    for member in parameters.members {
      guard let name = String(validating: member.name, as: UTF8.self), Self.viewParameters.contains(name) || name == "v"
      else { throw .badQuery("A view takes no parameter of that name: leave it out.") }
      guard let value = String(validating: member.value, as: UTF8.self), !value.isEmpty else {
        throw .badQuery("The parameter \(name) has no value.")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw .badQuery("The parameter \(name) is there twice.")
      }
    }
    let version = values.removeValue(forKey: "v").map { VersionTag(text: $0) }
    if values["from"] != nil || values["to"] != nil {
      throw .badQuery("The parameters from and to are a camera's: a recording takes start and end, in seconds.")
    }
    guard let text = values.removeValue(forKey: "keyframe") else {
      throw .unsupportedView(values.keys.min() ?? "")
    }
    guard values.isEmpty else {
      let others = values.keys.sorted().joined(separator: ", ")
      throw .badQuery("The parameter keyframe goes with no other view: leave out \(others).")
    }
    guard let seconds = DecimalSeconds(text) else {
      throw .badQuery(
        "The parameter keyframe has to be seconds such as 12 or 12.48, with at most 9 digits on either side.")
    }
    self = .keyFrame(at: seconds, version: version)
  }

  /// Of the target, behind the name.
  var suffix: String {
    var query = QueryWriter()
    switch self {
    case .details: return ".json"
    case .raw: return ".raw"
    case .protection: return ".keep"
    case .movie: break
    case .keyFrame(let seconds, _): query.add("keyframe", seconds.description)
    }
    query.add("v", version?.text)
    return ".mp4\(query.text)"
  }
}
