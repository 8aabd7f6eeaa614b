package import FootageBase

/// The facts of a recording that a query can ask about. Each type that stands for a recording gives all that it knows.
package struct RecordingFacts: Hashable, Sendable {
  /// Nil where all recordings are of one robot.
  package let robot: String?
  /// Nil for a recording without a camera.
  package let camera: String?
  package let startedAt: UnixTimestamp
  /// Nil for a state that this version does not know.
  package let state: ListCondition.StateFilter?
  /// How long it lasts, so far where it is still written; nil for what has no length.
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

  /// To the nearest one, from 0 on; of what lasts longer than 31 years so much.
  package static func milliseconds(ofSeconds duration: Double?) -> Int64? {
    duration.map { Int64(min(max($0, 0), 1e9) * 1_000 + 0.5) }
  }
}

extension RecordingItem {
  /// - Parameter robot: nil where all recordings are of one.
  package func facts(ofRobot robot: String? = nil) -> RecordingFacts {
    RecordingFacts(robot: robot, camera: camera, startedAt: startedAt, state: state.filter, duration: duration)
  }
}
