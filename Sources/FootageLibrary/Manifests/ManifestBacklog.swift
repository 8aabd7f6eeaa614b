internal import FootageSystem

/// The recordings whose manifests no client has requested, newest first. The sooner a recording is read after it was
/// written, the less time there was to change it, and the more its digests prove.
struct ManifestBacklog {
  private let files: ManifestFiles
  private let isOn: Bool
  private var generation: UInt64?
  private var nextLook: Int64 = .min
  /// The remaining recordings, in reverse order: the next one is the last.
  private var recordings: [Recording] = []

  init(_ files: ManifestFiles, isOn: Bool) {
    self.files = files
    self.isOn = isOn
  }

  /// Returns the recording whose manifest is to be made next; nil if there is none for now. At intervals it lists the
  /// folder, and blocks meanwhile.
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
          log(.warning("\(error): manifests will be made when the folder can be read again"))
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
