/// The reason why a fetch brought no bytes, or stopped early.
package enum FetchFailure: Error, Hashable, Sendable {
  /// The failure may be temporary: refused, reset, timed out, 503. The fetch is resumed where it stopped.
  case passing(RobotError)
  /// The robot now has another version of the recording, or none (RFC 9110 §13.1.5: If-Range did not hold).
  case replaced(RobotError)
  /// The failure is permanent: a key other than the pinned one, 401, 403.
  case final(RobotError)

  /// True if the same request may succeed a little later.
  var canPass: Bool { if case .passing = self { true } else { false } }

  /// The error from the robot, or the error about the server that answered in its place.
  package var error: RobotError {
    switch self {
    case .passing(let error), .replaced(let error), .final(let error): error
    }
  }
}

/// A source from which the cache fetches. It offers what the cache needs of a connection to a robot, and no more.
package protocol RangeSource: Sendable {
  /// Requests a range, bound to the version's tag: the bytes of another version are never delivered.
  ///
  /// If the task is canceled, this call and the stream's `next` return promptly.
  ///
  /// - Parameter range: a range that is not empty and within the version's length.
  /// - Throws: `FetchFailure`.
  func open(_ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure)
    -> any RangeStream

  /// Requests a range like `open`, but on a new connection, since the open ones may be dead.
  func openAnew(_ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure)
    -> any RangeStream

  /// Returns the whole sample index of a version.
  ///
  /// - Returns: bytes that are still to be validated, since they are input.
  /// - Throws: `FetchFailure`, which is `.final(.notSupported)` if the robot has no indexes.
  func index(of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure) -> [UInt8]

  /// Returns the robot's present description of a recording.
  ///
  /// - Throws: `FetchFailure`.
  func item(of key: RecordingKey) async throws(FetchFailure) -> RobotRecording
}

extension RangeSource {
  package func index(of key: RecordingKey, _ version: RecordingVersion) async throws(FetchFailure) -> [UInt8] {
    throw .final(.notSupported("it has no sample indexes"))
  }

  package func item(of key: RecordingKey) async throws(FetchFailure) -> RobotRecording {
    throw .final(.notSupported("it does not describe its recordings"))
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

/// The bytes of one request, in order. If the stream is dropped before its end, the request ends. If it is dropped at
/// its end, its connection may be used again.
package protocol RangeStream: Sendable {
  /// True if the head of the response had already arrived when the stream was requested.
  var wasOpen: Bool { get }

  /// Returns the next bytes, at least one and at most a few hundred kB; nil after the last byte of the range.
  ///
  /// - Throws: `FetchFailure`, also if the bytes end before the range does.
  func next() async throws(FetchFailure) -> [UInt8]?
}

/// A source for when no network may be used: every request fails.
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
