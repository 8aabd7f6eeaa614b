internal import FootageBase

/// The parameters of a target that asks for a view. All of them are known, and each occurs once and is not empty.
struct ViewParameters {
  /// The names of the parameters that make a target a request for a view. A target with one of them must have no
  /// parameters that the view does not know.
  private static let names = ["keyframe", "keys", "speed", "start", "end", "from", "to", "track"]

  private var values: [String: String] = [:]

  /// - Parameters:
  ///   - parameters: the parameters of the target.
  ///   - others: the names that may occur beside those of a view.
  /// - Returns: nil if the target does not ask for a view, so that unknown parameters are ignored.
  /// - Throws: `ResourceError.badQuery`.
  init?(_ parameters: QueryParameters, beside others: String...) throws(ResourceError) {
    let isView = parameters.members.contains { member in Self.names.contains { member.name.elementsEqual($0.utf8) } }
    guard isView else { return nil }
    for member in parameters.members {
      guard let name = String(validating: member.name, as: UTF8.self),
        Self.names.contains(name) || others.contains(name)
      else { throw .badQuery("A view accepts no parameter with that name: remove it.") }
      guard let value = String(validating: member.value, as: UTF8.self), !value.isEmpty else {
        throw .badQuery("The parameter \(name) has no value.")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw .badQuery("The parameter \(name) is given twice.")
      }
    }
  }

  /// Returns the value of a parameter and removes it from the remaining ones.
  mutating func take(_ name: StaticString) -> String? { values.removeValue(forKey: name.description) }

  func peek(_ name: StaticString) -> String? { values[name.description] }

  /// Takes the seconds of a parameter; nil if the parameter is missing.
  mutating func takeSeconds(_ name: StaticString) throws(ResourceError) -> DecimalSeconds? {
    guard let text = take(name) else { return nil }
    guard let seconds = DecimalSeconds(text) else {
      throw .badQuery(
        "The parameter \(name) must be seconds such as 12 or 12.48, with at most 9 digits on either side of the point.")
    }
    return seconds
  }

  /// Takes the number of a video track; nil if the parameter is missing.
  mutating func takeTrack() throws(ResourceError) -> Int? { try take("track").map(Self.track) }

  /// Reads the number of a video track.
  static func track(_ text: String) throws(ResourceError) -> Int {
    guard let track = VideoTrack.number(text) else {
      throw .badQuery(
        "The parameter track must be the number of a video track, from \(VideoTrack.numbers.lowerBound) to "
          + "\(VideoTrack.numbers.upperBound), as the item lists it.")
    }
    return track
  }

  /// Takes the moment of a parameter; nil if the parameter is missing.
  mutating func takeMoment(_ name: StaticString) throws(ResourceError) -> UnixTimestamp? {
    guard let text = take(name) else { return nil }
    guard let moment = UnixTimestamp(parameter: text) else {
      throw .badQuery(
        "The parameter \(name) must be a time such as 2026-11-20T14:19:30.5Z, or seconds since 1970, with at most 9 "
          + "digits after a point.")
    }
    return moment
  }

  /// - Parameter words: the beginning of the message about parameters that remain.
  /// - Throws: `ResourceError.badQuery` with these words and the names of the parameters.
  func refuseOthers(_ words: String) throws(ResourceError) {
    guard !values.isEmpty else { return }
    let names = values.keys.sorted().joined(separator: ", ")
    throw .badQuery("\(words): remove \(names).")
  }
}
