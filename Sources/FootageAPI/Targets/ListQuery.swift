package import FootageBase

/// Which recordings of the list are wanted, and where a page begins: the parameters of `GET /recordings`.
package struct ListQuery: Hashable, Sendable {
  package typealias StateFilter = ListCondition.StateFilter

  /// The conditions for each recording that is meant: one of a kind at most, in the order of their names.
  package private(set) var conditions: [ListCondition] = []
  /// The most on one page, from 1 on; a robot takes what is beyond its own limit for that.
  package var limit: Int
  /// Goes on behind the page that ended here.
  package var after: ListCursor?

  /// Of a page where nothing is said.
  package static let defaultLimit = 100

  package init(
    robot: String? = nil, camera: String? = nil, since: UnixTimestamp? = nil, until: UnixTimestamp? = nil,
    state: StateFilter? = nil, lasting: DecimalSeconds? = nil, limit: Int = defaultLimit, after: ListCursor? = nil
  ) {
    self.limit = limit
    self.after = after
    self.robot = robot
    self.camera = camera
    self.since = since
    self.until = until
    self.state = state
    self.lasting = lasting
  }

  /// True if the recording is one of those that are meant, wherever a page begins.
  package func includes(_ recording: RecordingFacts) -> Bool { conditions.allSatisfy { $0.holds(for: recording) } }
}

extension ListQuery {
  private subscript(name: ListCondition.Name) -> ListCondition? {
    get { conditions.first { $0.name == name } }
    set {
      conditions.removeAll { $0.name == name }
      guard let newValue else { return }
      conditions.insert(newValue, at: conditions.firstIndex { $0.name > name } ?? conditions.endIndex)
    }
  }

  package var robot: String? {
    get { if case .robot(let robot) = self[.robot] { robot } else { nil } }
    set { self[.robot] = newValue.map { .robot($0) } }
  }

  package var camera: String? {
    get { if case .camera(let camera) = self[.camera] { camera } else { nil } }
    set { self[.camera] = newValue.map { .camera($0) } }
  }

  package var since: UnixTimestamp? {
    get { if case .since(let since) = self[.since] { since } else { nil } }
    set { self[.since] = newValue.map { .since($0) } }
  }

  package var until: UnixTimestamp? {
    get { if case .until(let until) = self[.until] { until } else { nil } }
    set { self[.until] = newValue.map { .until($0) } }
  }

  package var state: StateFilter? {
    get { if case .state(let state) = self[.state] { state } else { nil } }
    set { self[.state] = newValue.map { .state($0) } }
  }

  package var lasting: DecimalSeconds? {
    get { if case .lasting(let lasting) = self[.lasting] { lasting } else { nil } }
    set { self[.lasting] = newValue.map { .lasting($0) } }
  }
}

// MARK: As a query of a URL

extension ListQuery {
  /// - Throws: `ResourceError.badQuery`.
  init(_ parameters: QueryParameters) throws(ResourceError) {
    self.init()
    for name in ListCondition.Name.allCases {
      if let text = parameters[name.rawValue] { conditions.append(try ListCondition(name, text)) }
    }
    if let text = parameters["limit"] {
      guard let number = Int(text), number > 0 else {
        throw .badQuery("The parameter limit has to be a number from 1 to 1000.")
      }
      limit = number
    }
    if let text = parameters["after"] {
      let cursor = ListCursor(text: text)
      guard cursor.place != nil else {
        throw .badQuery("The parameter after has to be the \"next\" of an earlier page.")
      }
      after = cursor
    }
  }

  var query: String {
    var writer = QueryWriter()
    if limit != Self.defaultLimit { writer.add("limit", String(limit)) }
    for condition in conditions { writer.add(condition.name.rawValue, condition.text) }
    writer.add("after", after?.text)
    return writer.text
  }
}
