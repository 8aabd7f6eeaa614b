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

  package init(
    robot: String?, camera: String?, startedAt: UnixTimestamp, state: ListCondition.StateFilter?
  ) {
    self.robot = robot
    self.camera = camera
    self.startedAt = startedAt
    self.state = state
  }
}

extension RecordingItem {
  /// - Parameter robot: nil where all recordings are of one.
  package func facts(ofRobot robot: String? = nil) -> RecordingFacts {
    RecordingFacts(robot: robot, camera: camera, startedAt: startedAt, state: state.filter)
  }
}
