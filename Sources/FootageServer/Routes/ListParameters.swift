/// The parameters of `GET /recordings`.

internal import Formats
internal import RecordingLibrary

enum ListParameterError: Error, CustomStringConvertible {
  case broken
  case invalid(name: StaticString, expected: StaticString)

  var description: String {
    switch self {
    case .broken: "The query has a % that is not followed by two hexadecimal digits."
    case .invalid(let name, let expected): "The parameter \(name) has to be \(expected)."
    }
  }
}

extension ListQuery {
  init(parameters query: ArraySlice<UInt8>?) throws(ListParameterError) {
    guard let parameters = QueryParameters(query) else { throw .broken }
    self.init()
    camera = parameters["camera"]
    since = try Self.moment("since", parameters)
    until = try Self.moment("until", parameters)
    if let text = parameters["state"] {
      guard let filter = StateFilter(rawValue: text) else {
        throw .invalid(name: "state", expected: "ready, recording or refused")
      }
      state = filter
    }
    if let text = parameters["limit"] {
      guard let number = Int(text), number > 0 else {
        throw .invalid(name: "limit", expected: "a number from 1 to 1000")
      }
      limit = number
    }
    if let text = parameters["after"] {
      guard let cursor = ListCursor(text) else {
        throw .invalid(name: "after", expected: "the \"next\" of an earlier page")
      }
      after = cursor
    }
  }

  private static func moment(
    _ name: StaticString, _ parameters: QueryParameters
  ) throws(ListParameterError) -> UnixTimestamp? {
    guard let text = parameters[name] else { return nil }
    guard let moment = UnixTimestamp(rfc3339: text) else {
      throw .invalid(name: name, expected: "a time such as 2026-11-20T10:15:30Z, or a date")
    }
    return moment
  }
}
