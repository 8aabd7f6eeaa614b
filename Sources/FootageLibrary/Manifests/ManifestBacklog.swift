internal import FootageSystem

/// The recordings whose manifests nobody has asked for, the newest first: the shorter a recording lay there unread, the
/// more its digests say.
struct ManifestBacklog {
  private let files: ManifestFiles
  private let isOn: Bool
  private var generation: UInt64?
  private var nextLook: Int64 = .min
  /// The last one comes first.
  private var recordings: [Recording] = []

  init(_ files: ManifestFiles, isOn: Bool) {
    self.files = files
    self.isOn = isOn
  }

  /// The one to be made next; nil where there is none for now. Lists the folder now and then, and blocks for that long.
  mutating func next(
    _ snapshot: () -> LibrarySnapshot, now: Int64, _ log: (LibraryEvent) -> Void
  ) -> Recording? {
    guard isOn else { return nil }
    if recordings.isEmpty, nextLook <= now {
      let snapshot = snapshot()
      if snapshot.generation != generation {
        nextLook = now + LibraryLimits.manifestBacklogNanoseconds
        do throws(StorageError) {
          recordings = try missing(in: snapshot)
          generation = snapshot.generation
        } catch {
          log(.warning("\(error): manifests are made when the folder can be read again"))
        }
      }
    }
    return recordings.popLast()
  }

  private func missing(in snapshot: LibrarySnapshot) throws(StorageError) -> [Recording] {
    let names = try files.names()
    var missing: [Recording] = []
    snapshot.forEachNewestFirst { recording in
      guard recording.state == .ready, let tag = recording.content?.tag,
        !names.contains(ManifestFiles.name(tag: tag, recording: recording.name))
      else { return }
      missing.append(recording)
    }
    missing.reverse()
    return missing
  }
}
