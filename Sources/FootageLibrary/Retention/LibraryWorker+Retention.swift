internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// What making room needs to know of the recordings, and does to what is known of them.
extension LibraryWorker {
  /// Whether everything that lies there was looked at, so that the oldest of it is the oldest.
  var isSettled: Bool { hasScanned && !schedule.hasBacklog && !isFolderMissing }

  /// All that is listed.
  ///
  /// - Parameter openSince: since when a recording is open; asked for those alone that some response has open now.
  func retentionCandidates(openSince: (Recording) -> Int64) -> [RetentionCandidate] {
    registry.paths.compactMap { path in
      guard let recording = registry[path], recording.version.inode != 0, !recording.isRemote,
        FileTree.name(of: path.text).utf8.count <= LeavingName.longest, path.isExact
      else { return nil }
      var isRefused = false
      if case .refused = recording.state { isRefused = true }
      let isBelievedStored = recording.whereabouts.item == .both
      let isConfirmed = isBelievedStored && self.isConfirmed(recording)
      return RetentionCandidate(
        path: path, name: recording.name, camera: recording.camera, version: recording.version,
        linkCount: ledger.linkCount(of: path) ?? 1, startedAt: recording.startedAt, endsAt: recording.endsAt,
        hasWriter: recording.state == .recording || schedule.evidence(of: path) == .modified, isRefused: isRefused,
        isKept: recording.isKept, isOwed: recording.whereabouts.item == .here || (isBelievedStored && !isConfirmed),
        isUnconfirmed: isBelievedStored && !isConfirmed, storedVersion: isConfirmed ? recording.versionTag : nil,
        openSince: recording.validity.isOpen ? openSince(recording) : nil,
        sighting: ledger.sighting(of: path) ?? Sighting(order: .max, uptime: nil, wall: nil))
    }
  }

  /// Takes recordings off the list and out of the catalog, whose files go next; what a store has stays on the list, and
  /// is read there. Where a full disk refuses the rows, the files go all the same, and make room for that.
  ///
  /// - Returns: those that have to stay: they were in the store when that was decided, and are there no more.
  func takeOut(_ decided: [RetentionCandidate]) -> Set<RelativePath> {
    var batch = IndexBatch()
    var staying: Set<RelativePath> = []
    batch.isDecided = true
    for candidate in decided {
      guard let known = registry[candidate.path], known.version == candidate.version else { continue }
      if !candidate.isOwed, whereaboutsHere(known).item == .here {
        staying.insert(candidate.path)
        continue
      }
      if let remote = remote(known) { batch.put(remote) } else { batch.removals.append(candidate.path) }
    }
    if !batch.removals.isEmpty || !batch.entries.isEmpty { store(batch) }
    return staying
  }

  /// A file was met by a scan or a look.
  func noteSighting(_ path: RelativePath, _ status: FileStatus) {
    let known = registry[path]
    let isOther =
      known.map { known in
        known.state == .ready && known.version.inode == status.version.inode
          && (known.version.size != status.version.size
            || known.version.modifiedNanoseconds != status.version.modifiedNanoseconds)
      } ?? false
    let wall = clock.unixNanoseconds
    ledger.note(
      path, status, isOther: isOther, uptime: hasScanned ? clock.uptimeNanoseconds : nil,
      wall: wall >= Self.buildNanoseconds ? wall : nil)
  }

  /// When this program was built, in nanoseconds since 1970: a clock that is behind that is not set.
  static let buildNanoseconds = Process.buildSeconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue

  /// Dates what was met while the clock was not set.
  func dateSightings(at moment: RetentionMoment) {
    let dated = ledger.date(at: moment).filter { registry[$0]?.state == .ready }
    unpersisted.formUnion(dated)
  }

  /// Gives back their names to files that a crash has left on their way out.
  func putBack(_ leftovers: [RelativePath]) {
    let removal = RecordingRemoval(files: FolderRemovalFiles(place: place, lists: keptLists))
    for hidden in leftovers {
      do throws(StorageError) {
        let path = try removal.putBack(hidden)
        log(.warning("\(path) was about to be deleted when the server ended: it is listed again"))
        // It was there before this program began to look, and is as old as it was.
        if let status = try? place.status(of: path) { noteSighting(path, status) }
        schedule.noteScanned(path)
      } catch { log(.warning("\(error): it was about to be deleted when the server ended")) }
    }
  }
}
