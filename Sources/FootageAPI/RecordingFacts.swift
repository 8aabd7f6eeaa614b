package import FootageBase

/// The facts of a recording that a query can ask about. Each type that represents a recording supplies those that it
/// knows.
package struct RecordingFacts: Hashable, Sendable {
  /// The robot that has the recording; nil if all recordings are of one robot.
  package let robot: String?
  /// The camera; nil for a recording without a camera.
  package let camera: String?
  package let startedAt: UnixTimestamp
  /// The state; nil for a state that this version does not know.
  package let state: ListCondition.StateFilter?
  /// The duration, or the duration so far while the recording is still being written; nil if the recording has no
  /// duration.
  package let milliseconds: Int64?

  /// - Parameter duration: in seconds.
  package init(
    robot: String?, camera: String?, startedAt: UnixTimestamp, state: ListCondition.StateFilter?, duration: Double?
  ) {
    self.robot = robot
    self.camera = camera
    self.startedAt = startedAt
    self.state = state
    milliseconds = Self.milliseconds(ofSeconds: duration)
  }

  /// Returns the duration to the nearest millisecond, from 0 to 1,000,000,000 seconds (31 years).
  package static func milliseconds(ofSeconds duration: Double?) -> Int64? {
    duration.map { Int64(min(max($0, 0), 1e9) * 1_000 + 0.5) }
  }
}

extension RecordingItem {
  /// - Parameter robot: nil if all recordings are of one robot.
  package func facts(ofRobot robot: String? = nil) -> RecordingFacts {
    RecordingFacts(robot: robot, camera: camera, startedAt: startedAt, state: state.filter, duration: duration)
  }
}
