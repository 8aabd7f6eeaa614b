/// Why no bytes came, or no more.
package enum FetchFailure: Error, Hashable, Sendable {
  /// It can pass: refused, reset, timed out, 503. The fetch is taken up again where it stopped.
  case passing(RobotError)
  /// The robot has another version of the recording by now, or none (RFC 9110 §13.1.5: If-Range did not hold).
  case replaced(RobotError)
  /// It does not pass: another key than the pinned one, 401, 403.
  case final(RobotError)

  /// Whether the same may go right a little later.
  var canPass: Bool { if case .passing = self { true } else { false } }

  /// What the robot said, or who answered in its place.
  package var error: RobotError {
    switch self {
    case .passing(let error), .replaced(let error), .final(let error): error
    }
  }
}

/// Where the cache fetches from: what it needs of a connection to a robot, and no more.
package protocol RangeSource: Sendable {
  /// Asks for a range, bound to the version's tag: other bytes than this version's are never delivered.
  ///
  /// Cancelling the task makes it, and the stream's `next`, return promptly.
  ///
  /// - Parameter range: not empty, within the version's length.
  /// - Throws: `FetchFailure`.
  func open(_ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure)
    -> any RangeStream

  /// The same, on a new connection: those that are open may be dead.
  func openAnew(_ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure)
    -> any RangeStream

  /// The sample index of a version, all of it.
  ///
  /// - Returns: what is yet to be looked at: it is input.
  /// - Throws: `FetchFailure`: `.final(.notSupported)` where the robot has no indexes.
  func index(of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure) -> [UInt8]

  /// What the robot says of a recording now.
  ///
  /// - Throws: `FetchFailure`.
  func item(of key: RecordingKey) async throws(FetchFailure) -> RobotRecording
}

extension RangeSource {
  package func index(of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure) -> [UInt8] {
    throw .final(.notSupported("it keeps no sample indexes"))
  }

  package func item(of key: RecordingKey) async throws(FetchFailure) -> RobotRecording {
    throw .final(.notSupported("it says nothing of its recordings"))
  }
}

extension RangeStream {
  package var wasOpen: Bool { false }
}

extension RangeSource {
  package func openAnew(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream { try await open(range, of: key, version) }
}

/// The bytes of one request, in order. Dropped before its end, it ends the request; dropped at its end, its connection
/// may be used again.
package protocol RangeStream: Sendable {
  /// Whether its answer had come before it was asked for.
  var wasOpen: Bool { get }

  /// The next bytes, at least one and some hundred kB at most, or nil after the last one of the range.
  ///
  /// - Throws: `FetchFailure`, also where the bytes end before the range does.
  func next() async throws(FetchFailure) -> [UInt8]?
}

/// No network at all.
package struct OfflineSource: RangeSource {
  package init() {}

  package func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    throw .final(.cache(.offline(key)))
  }

  package func index(of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure) -> [UInt8] {
    throw .final(.cache(.offline(key)))
  }

  package func item(of key: RecordingKey) async throws(FetchFailure) -> RobotRecording {
    throw .final(.cache(.offline(key)))
  }
}
