/// What is known of a store: what it has stays on the list when its file goes.
final class StoredKnowledge {
  /// Nil where there is no store.
  private(set) var versions: StoredVersions?

  func use(_ store: StoredVersions) { versions = store }

  /// Where the bytes of a recording are whose file is on the disk.
  func whereabouts(ofHere recording: Recording) -> Recording.Whereabouts {
    guard let versions, recording.state == .ready, let tag = recording.content?.tag else { return .here }
    return versions.contains(recording.path, tag: tag) ? .both : .owed
  }

  /// Whether the store was seen to have a recording since the start.
  func isConfirmed(_ recording: Recording) -> Bool {
    guard let versions, let tag = recording.content?.tag else { return false }
    return versions.isConfirmed(recording.path, tag: tag)
  }

  /// The same recording, read out of the store from now on; nil where that does not have it.
  func remote(_ recording: Recording) -> Recording? {
    guard let versions, recording.state == .ready, let tag = recording.content?.tag,
      versions.contains(recording.path, tag: tag)
    else { return nil }
    return recording.with(whereabouts: .store(versions))
  }
}
