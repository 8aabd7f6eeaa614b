/// The library's records of a store. Recordings in the store stay on the list when their files are deleted.
final class StoredKnowledge {
  /// The versions in the store; nil if there is no store.
  private(set) var versions: StoredVersions?

  func use(_ store: StoredVersions) { versions = store }

  /// Returns the whereabouts of a recording whose file is on the disk.
  func whereabouts(ofHere recording: Recording) -> Recording.Whereabouts {
    guard let versions, recording.state == .ready, let tag = recording.content?.tag else { return .here }
    return versions.contains(recording.path, tag: tag) ? .both : .owed
  }

  /// Returns whether the store has confirmed since the start that it has a recording.
  func isConfirmed(_ recording: Recording) -> Bool {
    guard let versions, let tag = recording.content?.tag else { return false }
    return versions.isConfirmed(recording.path, tag: tag)
  }

  /// Returns the same recording, to be read from the store from now on; nil if the store does not have it.
  func remote(_ recording: Recording) -> Recording? {
    guard let versions, recording.state == .ready, let tag = recording.content?.tag,
      versions.contains(recording.path, tag: tag)
    else { return nil }
    return recording.with(whereabouts: .store(versions))
  }
}
