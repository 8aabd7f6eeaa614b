package import FootageAPI

extension Recording {
  /// The place of a recording's bytes: the disk, a store, or both.
  package enum Whereabouts: Sendable {
    /// The bytes are on the robot's disk. There is no store, or the recording is not ready.
    case here
    /// The bytes are on the disk, and have yet to be uploaded to the store.
    case owed
    /// The bytes are on the disk and also in the store.
    case both
    /// The bytes are only in this store.
    case store(StoredVersions)

    /// The place that the list shows; nil for `here`.
    package var item: RecordingItem.Place? {
      switch self {
      case .here: nil
      case .owed: .here
      case .both: .both
      case .store: .store
      }
    }
  }

  /// True if the recording's file is no longer on the disk, but is in a store.
  package var isRemote: Bool {
    if case .store = whereabouts { true } else { false }
  }
}
