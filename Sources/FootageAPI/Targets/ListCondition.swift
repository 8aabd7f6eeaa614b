package import FootageBase

/// A condition that every recording in the answer to a list query meets.
///
/// The conditions are the only definition of the recordings that a query selects. A database cannot call `holds` and
/// switches over all cases instead. Swift does not compile a new case until each such switch handles it.
package enum ListCondition: Hashable, Sendable {
  /// The recording is from this robot. It holds for all recordings if a server has only one robot.
  case robot(String)
  /// The recording is from this camera.
  case camera(String)
  /// The recording began at this moment or later.
  case since(UnixTimestamp)
  /// The recording began before this moment.
  case until(UnixTimestamp)
  /// The recording is in this state.
  case state(StateFilter)
  /// The recording lasts at least this long. The value is above zero, so a recording without a length never matches.
  case lasting(DecimalSeconds)

  package enum StateFilter: String, CaseIterable, Hashable, Sendable { case ready, recording, refused }

  /// The name of the condition's parameter. The cases are in the order in which parameters are written.
  package enum Name: String, CaseIterable, Comparable, Sendable {
    case robot, camera, since, until, state, lasting

    package static func < (one: Name, other: Name) -> Bool { one.place < other.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  package var name: Name {
    switch self {
    case .robot: .robot
    case .camera: .camera
    case .since: .since
    case .until: .until
    case .state: .state
    case .lasting: .lasting
    }
  }

  /// True if the same recording may begin or cease to meet the condition over time.
  package var changes: Bool {
    switch self {
    case .robot, .camera, .since, .until: false
    case .state, .lasting: true
    }
  }

  /// Returns true if the recording meets the condition. Names are compared byte for byte.
  package func holds(for recording: RecordingFacts) -> Bool {
    switch self {
    case .robot(let robot): recording.robot.map { ExactName($0) == ExactName(robot) } ?? true
    case .camera(let camera): ExactName(recording.camera) == ExactName(camera)
    case .since(let moment): recording.startedAt >= moment
    case .until(let moment): recording.startedAt < moment
    case .state(let state): recording.state == state
    case .lasting(let seconds): recording.milliseconds.map { $0 >= seconds.milliseconds } ?? false
    }
  }
}

// MARK: The parameter of a URL

extension ListCondition {
  /// - Throws: `ResourceError.badQuery`.
  init(_ name: Name, _ text: String) throws(ResourceError) {
    switch name {
    case .robot: self = .robot(text)
    case .camera: self = .camera(text)
    case .since: self = .since(try Self.moment(name, text))
    case .until: self = .until(try Self.moment(name, text))
    case .state:
      guard let state = StateFilter(rawValue: text) else { throw Self.invalid(name, "ready, recording or refused") }
      self = .state(state)
    case .lasting:
      guard let seconds = DecimalSeconds(text), seconds > .zero else {
        throw Self.invalid(
          name, "a number of seconds above 0, such as 90 or 1.5, with at most 9 digits on either side of the point")
      }
      self = .lasting(seconds)
    }
  }

  var text: String {
    switch self {
    case .robot(let name), .camera(let name): name
    case .since(let moment), .until(let moment): Self.text(moment)
    case .state(let state): state.rawValue
    case .lasting(let seconds): seconds.description
    }
  }

  /// Returns the moment by RFC 3339, without milliseconds if there are none.
  private static func text(_ moment: UnixTimestamp) -> String {
    moment.millisecondsOfSecond == 0 ? CivilTime(unixSeconds: moment.seconds).rfc3339 : moment.rfc3339
  }

  private static func moment(_ name: Name, _ text: String) throws(ResourceError) -> UnixTimestamp {
    guard let moment = UnixTimestamp(rfc3339: text) else {
      throw invalid(name, "a time such as 2026-11-20T10:15:30Z, or a date")
    }
    return moment
  }

  private static func invalid(_ name: Name, _ expected: String) -> ResourceError {
    .badQuery("The parameter \(name.rawValue) must be \(expected).")
  }
}
