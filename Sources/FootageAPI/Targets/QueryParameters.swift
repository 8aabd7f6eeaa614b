internal import FootageBase

/// The parameters after the `?` of a target, as HTML forms and `URLSearchParams` write them.
struct QueryParameters {
  private(set) var members: [(name: [UInt8], value: [UInt8])] = []

  /// - Throws: `ResourceError.badQuery` if an escape is malformed.
  init(_ query: ArraySlice<UInt8>?) throws(ResourceError) {
    guard let query else { return }
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(parts[0]), let value = Self.decode(parts.count > 1 ? parts[1] : []) else {
        throw .badQuery("The query has a % that is not followed by two hexadecimal digits.")
      }
      members.append((name, value))
    }
  }

  /// The first value with this name; nil if there is none, or if it is empty or not UTF-8.
  subscript(name: String) -> String? {
    guard let value = members.first(where: { $0.name.elementsEqual(name.utf8) })?.value, !value.isEmpty
    else { return nil }
    return String(validating: value, as: UTF8.self)
  }

  /// Returns the value of a parameter that must occur at most once and must not be empty; nil if there is none.
  ///
  /// - Throws: `ResourceError.badQuery` if the parameter occurs twice, is empty, or is not UTF-8.
  func single(_ name: StaticString) throws(ResourceError) -> String? {
    let values = members.filter { $0.name.elementsEqual(name.description.utf8) }
    guard let value = values.first?.value else { return nil }
    guard values.count == 1 else { throw .badQuery("The parameter \(name) is given twice: remove one.") }
    guard !value.isEmpty, let text = String(validating: value, as: UTF8.self) else {
      throw .badQuery("The parameter \(name) has no value: give it one, or remove it.")
    }
    return text
  }

  private static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    PercentEncoding.decode(text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
  }
}

/// Writes a query.
struct QueryWriter {
  private var parameters: [String] = []

  /// - Parameter value: the value; nil omits the parameter.
  mutating func add(_ name: String, _ value: String?) {
    // `/` needs no escape in a query (RFC 3986 §3.4).
    if let value { parameters.append("\(name)=\(PercentEncoding.encodePath(value))") }
  }

  /// The query with its `?`; empty if there are no parameters.
  var text: String { parameters.isEmpty ? "" : "?\(parameters.joined(separator: "&"))" }
}
