package import FootageBase

/// The selection of recordings for a list, and the position where a page begins: the parameters of `GET /recordings`.
package struct ListQuery: Hashable, Sendable {
  package typealias StateFilter = ListCondition.StateFilter

  /// The conditions that the recordings must meet: at most one of each kind, in the order of their names.
  package private(set) var conditions: [ListCondition] = []
  /// The most recordings on one page, at least 1. A robot reduces a larger value to its own limit.
  package var limit: Int
  /// The position after which the page begins, which is the end of an earlier page.
  package var after: ListCursor?

  /// The limit of a page if the query states none.
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

  /// Returns true if the recording meets all conditions, regardless of where a page begins.
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

// MARK: The query of a URL

extension ListQuery {
  /// - Throws: `ResourceError.badQuery`.
  init(_ parameters: QueryParameters) throws(ResourceError) {
    self.init()
    for name in ListCondition.Name.allCases {
      if let text = parameters[name.rawValue] { conditions.append(try ListCondition(name, text)) }
    }
    if let text = parameters["limit"] {
      guard let number = Int(text), number > 0 else {
        throw .badQuery("The parameter limit must be a number from 1 to 1000.")
      }
      limit = number
    }
    if let text = parameters["after"] {
      let cursor = ListCursor(text: text)
      guard cursor.place != nil else {
        throw .badQuery("The parameter after must be the \"next\" of an earlier page.")
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
