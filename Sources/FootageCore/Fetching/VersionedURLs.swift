internal import Synchronization

/// Whether a robot serves versions of recordings under URLs of their own. What it lists shows that; before, nobody
/// knows, and an earlier robot does not.
final class VersionedURLs: Sendable {
  private let wereShown = Atomic(false)

  var areKnown: Bool { wereShown.load(ordering: .relaxed) }

  /// The robot has listed a recording so, now or once.
  func learn(from recording: RobotRecording) {
    if recording.hasVersionedURL { wereShown.store(true, ordering: .relaxed) }
  }
}
