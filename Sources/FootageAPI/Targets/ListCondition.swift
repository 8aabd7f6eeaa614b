package import FootageBase

/// A condition that holds for each recording that a list is asked for.
///
/// The one place that says which recordings a query means. A database, which cannot ask `holds`, switches over all cases:
/// Swift does not compile a new case until each such place has decided about it.
package enum ListCondition: Hashable, Sendable {
  /// It is of this robot; holds for all where a server has one.
  case robot(String)
  /// It is of this camera.
  case camera(String)
  /// It began at this moment or later.
  case since(UnixTimestamp)
  /// It began before this moment.
  case until(UnixTimestamp)
  /// It is in this state.
  case state(StateFilter)
  /// It lasts at least so long, which is above zero: what has no length is not meant.
  case lasting(DecimalSeconds)

  package enum StateFilter: String, CaseIterable, Hashable, Sendable { case ready, recording, refused }

  /// The name of its parameter. The cases stand in the order in which parameters are written.
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

  /// True if a recording may come to fulfil it, or fulfil it no more, while it is the same recording.
  package var changes: Bool {
    switch self {
    case .robot, .camera, .since, .until: false
    case .state, .lasting: true
    }
  }

  /// True if the recording fulfils it. Names are compared byte for byte.
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

// MARK: As a parameter

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
          name, "seconds above 0, such as 90 or 1.5, with 9 digits at most before and behind the point")
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

  /// The moment by RFC 3339, without milliseconds where it has none.
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
    .badQuery("The parameter \(name.rawValue) has to be \(expected).")
  }
}
