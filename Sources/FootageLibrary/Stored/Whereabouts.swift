package import FootageAPI

extension Recording {
  /// Where the bytes of a recording are.
  package enum Whereabouts: Sendable {
    /// On the robot's disk, which is all that it has.
    case here
    /// On the disk, and still to come into the store.
    case owed
    /// On the disk, and in the store as well.
    case both
    /// In this store alone.
    case store(StoredVersions)

    /// As it is listed; nil where there is no store.
    package var item: RecordingItem.Place? {
      switch self {
      case .here: nil
      case .owed: .here
      case .both: .both
      case .store: .store
      }
    }
  }

  /// Whether its file is not on the disk any more, and nothing is lost by that.
  package var isRemote: Bool {
    if case .store = whereabouts { true } else { false }
  }
}
