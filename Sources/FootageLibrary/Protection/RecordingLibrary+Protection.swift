internal import FootageAPI
package import FootageBase
package import FootageSystem
internal import Synchronization

/// Protecting recordings, so that they are never deleted to make room.
///
/// Everything in it blocks: do not call on an event loop. A protection is durable when the call returns, and every list
/// shows it from then on.
extension RecordingLibrary {
  /// Protects a recording by a mark on its file. If that is impossible, a line is added to a list in the recordings
  /// folder, or if that is not possible either, in the state folder. Protecting it twice is not an error.
  ///
  /// - Parameters:
  ///   - keeper: the owner of the protection. A protected recording keeps its owner, except that an operator takes over
  ///     a viewer's protection.
  ///   - limit: the total size that this viewer may protect, in bytes; nil for no limit.
  /// - Returns: the place where the protection is stored.
  /// - Throws: `ProtectionError`: `.unknown`, `.changed`, `.unreadable`, `.stillRecorded`, `.overShare`;
  ///   `.inStoreAlone` in a command; `.refusedEverywhere` if none of the three places is writable.
  @discardableResult
  package func keep(
    name: String, by keeper: Keeper = .anybody, within limit: UInt64? = nil
  ) throws(ProtectionError) -> ProtectionPlace {
    try keep(try recording(named: name), keeper, limit)
  }

  /// Ends a recording's protection, wherever it is stored; an unprotected recording is not an error. The name may also
  /// be that of a recording that no longer exists but is still in a list.
  ///
  /// - Throws: `ProtectionError`: `.unknown`, `.changed`, `.unreadable`, `.notReleased`.
  package func release(name: String) throws(ProtectionError) {
    let recording: Recording
    do throws(ProtectionError) { recording = try self.recording(named: name) } catch {
      guard try removeLines(name, where: { ExactName($0.name) == ExactName(name) }) > 0 else { throw error }
      return noteLists()
    }
    try release(recording)
  }

  /// Protects a camera's recordings in a range of time: each one that covers at least a moment of the range.
  ///
  /// - Parameters:
  ///   - camera: nil means recordings without a camera.
  ///   - to: not included.
  /// - Returns: the names, newest first.
  /// - Throws: `ProtectionError`, as `keep(name:)` does; `.nothingThere`; `.incomplete` if only some were changed.
  @discardableResult
  package func keep(camera: String?, from: UnixTimestamp, to: UnixTimestamp) throws(ProtectionError) -> [String] {
    try protecting(camera: camera, from: from, to: to, by: .anybody) { nil }.finish()
  }

  /// Ends the protection of a camera's recordings in a range of time; parameters and errors as for `keep`.
  @discardableResult
  package func release(
    camera: String?, from: UnixTimestamp, to: UnixTimestamp
  ) throws(ProtectionError) -> [String] {
    try releasing(camera: camera, from: from, to: to).finish()
  }

  /// Returns the work of protecting all recordings of a camera in a period, to be done in parts.
  ///
  /// - Parameters:
  ///   - keeper: the owner of the protection.
  ///   - limit: the total size that this viewer may protect, in bytes; nil for no limit. Called once, at the beginning.
  package func protecting(
    camera: String?, from: UnixTimestamp, to: UnixTimestamp, by keeper: Keeper,
    within limit: @escaping @Sendable () throws(ProtectionError) -> UInt64?
  ) -> ProtectionSweep {
    ProtectionSweep { [self] () throws(ProtectionError) in
      let limit = try limit()
      return (
        try recordings(of: camera, from, to),
        { [self] (recording) throws(ProtectionError) in _ = try keep(recording, keeper, limit) }
      )
    }
  }

  /// Returns the work of ending the protection of all recordings of a camera in a period, to be done in parts.
  package func releasing(camera: String?, from: UnixTimestamp, to: UnixTimestamp) -> ProtectionSweep {
    ProtectionSweep { [self] () throws(ProtectionError) in
      (try recordings(of: camera, from, to), { [self] (recording) throws(ProtectionError) in try release(recording) })
    }
  }

  /// Returns all protected recordings, newest first, followed by those that exist only as lines in the lists.
  package func kept() -> [KeptRecording] {
    noteLists()
    let lists = withWorker { $0.keptLists }
    var missing = lists.all.map { (list: $0, lines: (try? $0.read().lines) ?? []) }
    var kept: [KeptRecording] = []
    for recording in snapshot.recordings where recording.isKept {
      guard let file = try? place.open(recording.path) else { continue }
      var places: [ProtectionPlace] = (try? file.hasMark(Keeper.markName)) == true ? [.file] : []
      let identity = lists.sizes.contains(file.length) ? try? KeptLine.identity(of: file) : nil
      for index in missing.indices where missing[index].lines.contains(where: { $0.identity == identity }) {
        missing[index].lines.removeAll { $0.identity == identity }
        places.append(missing[index].list == lists.inFolder ? .folder : .state)
      }
      kept.append(KeptRecording(recording: recording, name: recording.name, places: places))
    }
    for (list, lines) in missing {
      let place = list == lists.inFolder ? ProtectionPlace.folder : .state
      kept += lines.map { KeptRecording(recording: nil, name: $0.name, places: [place]) }
    }
    return kept
  }

  private func recording(named name: String) throws(ProtectionError) -> Recording {
    guard let recording = lookUp(name) else { throw .unknown(name: name) }
    return recording
  }

  private func recordings(
    of camera: String?, _ from: UnixTimestamp, _ to: UnixTimestamp
  ) throws(ProtectionError) -> [Recording] {
    let recordings = snapshot.recordings.filter { recording in
      ExactName(recording.camera) == ExactName(camera) && recording.hasMoment(from, to)
    }
    guard !recordings.isEmpty else { throw .nothingThere(camera: camera, from: from, to: to) }
    return recordings
  }

  private func keep(
    _ recording: Recording, _ keeper: Keeper, _ limit: UInt64?
  ) throws(ProtectionError) -> ProtectionPlace {
    guard !recording.isRemote else {
      // Its deletion would make no room here. The catalog records that it must not be deleted in the store.
      guard role == .server else { throw .inStoreAlone(name: recording.name) }
      if recording.keeper == nil { note(recording, keeper) }
      return .state
    }
    guard case .viewer(let viewer) = keeper, let limit else { return try protect(recording, keeper) }
    // Only one at a time: two concurrent requests could both find enough of the share left.
    return try keeping.withLock { (_) throws(ProtectionError) -> ProtectionPlace in
      if let (place, known) = try protection(of: recording) { return try confirm(place, recording, known) }
      let kept = withWorker { $0.keptShare(of: viewer) }
      guard kept.addingReportingOverflow(recording.version.size).partialValue <= limit, kept <= limit else {
        throw .overShare(name: recording.name, kept: kept, limit: limit)
      }
      return try protect(recording, keeper)
    }
  }

  /// Returns the existing protection in the file or in a line.
  private func protection(of recording: Recording) throws(ProtectionError) -> (ProtectionPlace, Keeper)? {
    let file = try file(of: recording)
    do throws(StorageError) {
      if let mark = try file.mark(Keeper.markName) { return (.file, Keeper(mark: mark)) }
      let lists = withWorker { $0.keptLists }
      return try lists.keeper(of: file).map { (.folder, $0) }
    } catch { throw .unreadable(name: recording.name, reason: error.description) }
  }

  private func protect(_ recording: Recording, _ keeper: Keeper) throws(ProtectionError) -> ProtectionPlace {
    let file = try file(of: recording)
    var reasons: [String] = []
    let mark: Result<Void, StorageError>
    do throws(StorageError) { mark = .success(try file.setMark(Keeper.markName, to: keeper.mark)) } catch {
      mark = .failure(error)
    }
    switch mark {
    case .success: return try confirm(.file, recording, keeper, file)
    case .failure(let error): reasons.append(error.description)
    }
    guard recording.state != .recording else { throw .stillRecorded(name: recording.name) }
    let line: KeptLine
    do throws(StorageError) {
      line = KeptLine(name: recording.name, try KeptLine.identity(of: file))
    } catch { throw .unreadable(name: recording.name, reason: error.description) }
    guard file.isStill(file.openingStatus.version) else { throw .changed(name: recording.name) }
    let lists = withWorker { $0.keptLists }
    var held: ProtectionPlace?
    for list in lists.forAdding where held == nil {
      do throws(StorageError) {
        try list.add(line, by: keeper)
        held = list == lists.inFolder ? .folder : .state
      } catch { reasons.append(error.description) }
    }
    if let held { return try confirm(held, recording, keeper, file) }
    if !lists.stateLasts { reasons.append("the state folder is temporary, so a protection in it would be lost") }
    throw .refusedEverywhere(name: recording.name, reasons: reasons)
  }

  /// Checks that the protection was made in time. Retention first renames a file, then checks its protection, and
  /// restores the name if the file is protected. A file that still has its name when this is called is therefore
  /// protected. For one that does not, the protection is not confirmed.
  private func confirm(
    _ held: ProtectionPlace, _ recording: Recording, _ keeper: Keeper, _ file: RandomAccessFile? = nil
  ) throws(ProtectionError) -> ProtectionPlace {
    let file = if let file { file } else { try self.file(of: recording) }
    guard let found = try? place.status(of: recording.path),
      found.version.identity == file.openingStatus.version.identity
    else {
      requestLook(at: recording.path)
      throw .changed(name: recording.name)
    }
    note(recording, keeper)
    return held
  }

  private func release(_ recording: Recording) throws(ProtectionError) {
    guard !recording.isRemote else {
      guard role == .server else { throw .inStoreAlone(name: recording.name) }
      return note(recording, nil)
    }
    let file = try file(of: recording)
    do throws(StorageError) {
      if try file.hasMark(Keeper.markName) { try file.removeMark(Keeper.markName) }
    } catch { throw .notReleased(name: recording.name, reason: error.description) }
    let sizes = Set(withWorker { $0.keptLists.all }.flatMap { (try? $0.read().lines) ?? [] }.map(\.identity.size))
    if sizes.contains(file.length) {
      let identity: KeptLine.Identity
      do throws(StorageError) { identity = try KeptLine.identity(of: file) } catch {
        throw .unreadable(name: recording.name, reason: error.description)
      }
      _ = try removeLines(recording.name) { $0.identity == identity }
    }
    note(recording, nil)
  }

  private func removeLines(
    _ name: String, where condition: (KeptLine) -> Bool
  ) throws(ProtectionError) -> Int {
    var count = 0
    for list in withWorker({ $0.keptLists.all }) {
      do throws(StorageError) { count += try list.remove(where: condition) } catch {
        throw .notReleased(name: name, reason: error.description)
      }
    }
    return count
  }

  /// Opens the recorder's file as it is now. For one that is being written to, a different version does not matter.
  private func file(of recording: Recording) throws(ProtectionError) -> RandomAccessFile {
    let file: RandomAccessFile
    do throws(StorageError) { file = try place.open(recording.path) } catch {
      switch error.reason {
      case .system(.notFound), .system(.notAFolder):
        requestLook(at: recording.path)
        throw .changed(name: recording.name)
      default: throw .unreadable(name: recording.name, reason: error.description)
      }
    }
    guard recording.state == .ready, file.openingStatus.version != recording.version else { return file }
    requestLook(at: recording.path)
    throw .changed(name: recording.name)
  }

  private func note(_ recording: Recording, _ keeper: Keeper?) {
    change { worker in
      worker.lookAtKeptLists()
      // A recording that only the catalog knows cannot be marked here; the look at it that was requested finds the
      // protection.
      worker.mark(recording.path, keeper: keeper)
    }
  }

  private func noteLists() { change { $0.lookAtKeptLists() } }
}

/// Protecting a file that is being restored from a store, under a name that is not visible yet.
extension RecordingLibrary {
  /// Gives the file the protection that its recording has on the list. If the file cannot be marked, `protectByLine`
  /// protects it once it has its final name.
  package func markAsBefore(_ file: TemporaryFile, at path: RelativePath) throws(StorageError) {
    guard let keeper = withWorker({ $0.recording(at: path).flatMap(\.keeper) }) else { return }
    do throws(StorageError) { try file.setMark(Keeper.markName, to: keeper.mark) } catch {
      guard [.system(.notSupported), .system(.notPermitted)].contains(error.reason) else { throw error }
    }
  }

  /// Writes the protection that a recording has on the list into a list of kept recordings, unless the restored file is
  /// marked.
  package func protectByLine(_ path: RelativePath) throws(StorageError) {
    guard let recording = withWorker({ $0.recording(at: path) }), let keeper = recording.keeper else { return }
    let file = try place.open(path)
    guard try !file.hasMark(Keeper.markName) else { return }
    let line = KeptLine(name: recording.name, try KeptLine.identity(of: file))
    var failure: StorageError?
    for list in withWorker({ $0.keptLists.forAdding }) {
      do throws(StorageError) { return try list.add(line, by: keeper) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}

extension Recording {
  /// Returns whether part of the recording is in a range of time. A growing recording counts as having no end.
  func hasMoment(_ from: UnixTimestamp, _ to: UnixTimestamp) -> Bool {
    startedAt < to && (state == .recording || endsAt > from || startedAt >= from)
  }
}
