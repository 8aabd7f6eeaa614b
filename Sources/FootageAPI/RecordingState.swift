/// The state of a recording: whether it can be played, and if not, why.
public enum RecordingState: Hashable, Sendable {
  /// It can be played.
  case ready
  /// The recorder writes to it.
  case recording
  /// It cannot be played, for this reason.
  case refused(String)
  /// A state that this version does not know, in the robot's word for it.
  case other(String)
}

extension RecordingState {
  /// The filter that the state matches; nil for a state that this version does not know.
  package var filter: ListCondition.StateFilter? {
    switch self {
    case .ready: .ready
    case .recording: .recording
    case .refused: .refused
    case .other: nil
    }
  }
}
