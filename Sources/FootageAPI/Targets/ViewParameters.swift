internal import FootageBase

/// The parameters of a target that asks for a view: each known, none there twice and none empty.
struct ViewParameters {
  /// A target with one of these asks for a view, and all its parameters are the view's.
  private static let names = ["keyframe", "keys", "speed", "start", "end", "from", "to"]

  private var values: [String: String] = [:]

  /// - Parameters:
  ///   - parameters: of the target.
  ///   - others: which may stand beside those of a view.
  /// - Returns: nil where no view is asked for, so that unknown parameters are ignored.
  /// - Throws: `ResourceError.badQuery`.
  init?(_ parameters: QueryParameters, beside others: String...) throws(ResourceError) {
    let isView = parameters.members.contains { member in Self.names.contains { member.name.elementsEqual($0.utf8) } }
    guard isView else { return nil }
    for member in parameters.members {
      guard let name = String(validating: member.name, as: UTF8.self),
        Self.names.contains(name) || others.contains(name)
      else { throw .badQuery("A view takes no parameter of that name: leave it out.") }
      guard let value = String(validating: member.value, as: UTF8.self), !value.isEmpty else {
        throw .badQuery("The parameter \(name) has no value.")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw .badQuery("The parameter \(name) is there twice.")
      }
    }
  }

  /// The text of a parameter, which is not left over any more.
  mutating func take(_ name: StaticString) -> String? { values.removeValue(forKey: name.description) }

  func peek(_ name: StaticString) -> String? { values[name.description] }

  /// The seconds of a parameter; nil where it is not there.
  mutating func takeSeconds(_ name: StaticString) throws(ResourceError) -> DecimalSeconds? {
    guard let text = take(name) else { return nil }
    guard let seconds = DecimalSeconds(text) else {
      throw .badQuery(
        "The parameter \(name) has to be seconds such as 12 or 12.48, with at most 9 digits on either side.")
    }
    return seconds
  }

  /// The moment of a parameter; nil where it is not there.
  mutating func takeMoment(_ name: StaticString) throws(ResourceError) -> UnixTimestamp? {
    guard let text = take(name) else { return nil }
    guard let moment = UnixTimestamp(parameter: text) else {
      throw .badQuery(
        "The parameter \(name) has to be a time such as 2026-11-20T14:19:30.5Z, or seconds since 1970, with at most 9 "
          + "digits behind a point.")
    }
    return moment
  }

  /// - Parameter words: what is to be done about parameters that nobody has taken.
  /// - Throws: `ResourceError.badQuery`, with their names and those words.
  func refuseOthers(_ words: String) throws(ResourceError) {
    guard !values.isEmpty else { return }
    let names = values.keys.sorted().joined(separator: ", ")
    throw .badQuery("\(words): leave out \(names).")
  }
}
