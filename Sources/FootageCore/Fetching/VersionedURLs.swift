internal import Synchronization

/// The knowledge whether a robot serves versions of recordings under URLs of their own. What the robot lists shows
/// that. Until then it is unknown, and an earlier robot does not serve them.
final class VersionedURLs: Sendable {
  private let wereShown = Atomic(false)

  var areKnown: Bool { wereShown.load(ordering: .relaxed) }

  /// Learns from a recording that the robot has listed, now or earlier.
  func learn(from recording: RobotRecording) {
    if recording.hasVersionedURL { wereShown.store(true, ordering: .relaxed) }
  }
}
