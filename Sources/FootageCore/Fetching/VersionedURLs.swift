internal import Synchronization

/// The record of whether a robot serves versions of recordings under URLs of their own. The robot's lists show that.
/// Until a list has arrived, it is unknown. Robots with an older Footage do not have such URLs.
final class VersionedURLs: Sendable {
  private let wereShown = Atomic(false)

  var areKnown: Bool { wereShown.load(ordering: .relaxed) }

  /// Learns from a recording in a list of the robot, including a list that was remembered.
  func learn(from recording: RobotRecording) {
    if recording.hasVersionedURL { wereShown.store(true, ordering: .relaxed) }
  }
}
