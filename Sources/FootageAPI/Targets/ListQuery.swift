package import FootageBase

/// Which recordings of the list are wanted, and where a page begins: the parameters of `GET /recordings`.
package struct ListQuery: Hashable, Sendable {
  package enum StateFilter: String, CaseIterable, Hashable, Sendable { case ready, recording, refused }

  /// Of this robot alone, where a server has several.
  package var robot: String?
  /// Of this camera alone.
  package var camera: String?
  /// Those that began at this moment or later.
  package var since: UnixTimestamp?
  /// Those that began before this moment.
  package var until: UnixTimestamp?
  package var state: StateFilter?
  /// The most on one page, from 1 on; a robot takes what is beyond its own limit for that.
  package var limit: Int
  /// Goes on behind the page that ended here.
  package var after: ListCursor?

  /// Of a page where nothing is said.
  package static let defaultLimit = 100

  package init(
    robot: String? = nil, camera: String? = nil, since: UnixTimestamp? = nil, until: UnixTimestamp? = nil,
    state: StateFilter? = nil, limit: Int = defaultLimit, after: ListCursor? = nil
  ) {
    self.robot = robot
    self.camera = camera
    self.since = since
    self.until = until
    self.state = state
    self.limit = limit
    self.after = after
  }
}

extension ListQuery {
  /// - Throws: `ResourceError.badQuery`.
  init(_ parameters: QueryParameters) throws(ResourceError) {
    self.init()
    robot = parameters["robot"]
    camera = parameters["camera"]
    since = try Self.moment("since", parameters)
    until = try Self.moment("until", parameters)
    if let text = parameters["state"] {
      guard let filter = StateFilter(rawValue: text) else {
        throw Self.invalid("state", "ready, recording or refused")
      }
      state = filter
    }
    if let text = parameters["limit"] {
      guard let number = Int(text), number > 0 else { throw Self.invalid("limit", "a number from 1 to 1000") }
      limit = number
    }
    if let text = parameters["after"] {
      let cursor = ListCursor(text: text)
      guard cursor.place != nil else { throw Self.invalid("after", "the \"next\" of an earlier page") }
      after = cursor
    }
  }

  var query: String {
    var writer = QueryWriter()
    if limit != Self.defaultLimit { writer.add("limit", String(limit)) }
    writer.add("robot", robot)
    writer.add("camera", camera)
    writer.add("since", since.map(Self.text))
    writer.add("until", until.map(Self.text))
    writer.add("state", state?.rawValue)
    writer.add("after", after?.text)
    return writer.text
  }

  /// As short as RFC 3339 writes it.
  private static func text(_ moment: UnixTimestamp) -> String {
    moment.millisecondsOfSecond == 0 ? CivilTime(unixSeconds: moment.seconds).rfc3339 : moment.rfc3339
  }

  private static func moment(
    _ name: StaticString, _ parameters: QueryParameters
  ) throws(ResourceError) -> UnixTimestamp? {
    guard let text = parameters[name] else { return nil }
    guard let moment = UnixTimestamp(rfc3339: text) else {
      throw invalid(name, "a time such as 2026-11-20T10:15:30Z, or a date")
    }
    return moment
  }

  private static func invalid(_ name: StaticString, _ expected: String) -> ResourceError {
    .badQuery("The parameter \(name) has to be \(expected).")
  }
}
