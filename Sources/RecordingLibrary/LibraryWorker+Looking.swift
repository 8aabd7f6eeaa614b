/// Looking at files one by one, and what comes of it.

internal import ISOMedia
internal import Storage

extension LibraryWorker {
  /// Looks at what is due, up to the size of a batch, and stores it.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  func storeBatch() -> Bool {
    let started = clock.monotonicNanoseconds()
    var batch = LookBatch()
    while batch.paths.count < LibraryLimits.batchFiles, batch.headBytes < LibraryLimits.batchHeadBytes,
      clock.monotonicNanoseconds() - started < LibraryLimits.batchNanoseconds,
      let path = schedule.next(now: clock.monotonicNanoseconds())
    {
      guard !batch.paths.contains(path) else {
        schedule.noteDemanded(path)
        break
      }
      look(at: path, &batch)
    }
    let isRetrying = nextSave.map { $0 <= started } ?? false
    guard !batch.paths.isEmpty || isRetrying else { return false }
    store(batch)
    return true
  }

  /// Looks at this one now, whatever its version, and stores what comes of it.
  func index(_ path: RelativePath) -> Recording? {
    doubtful.insert(path)
    var batch = LookBatch()
    look(at: path, &batch)
    store(batch)
    return shelf[path]
  }

  private func look(at path: RelativePath, _ batch: inout LookBatch) {
    guard !isFolderMissing, let name = recordingName(path) else { return }
    batch.paths.insert(path)
    let started = clock.monotonicNanoseconds()
    let wall = clock.wallNanoseconds()
    let status = try? place.status(of: path)
    let old = shelf[path]
    if let status, isCurrent(path, status), old?.state != .recording { return }
    doubtful.remove(path)
    let make = RecordingMaker(path: path, name: name, old: old, place: place, naming: naming, wall: wall)
    if let status {
      if let holder = batch.holder(of: name.text, else: shelf), holder != path {
        return shelve(make.clashing(with: holder, status.version), isLasting: false, &batch)
      }
      let modified = status.version.modifiedNanoseconds
      if let time = schedule.lookAgainAtBusy(path, modified: modified, wall: wall, now: started) {
        schedule.look(at: path, when: time)
        return shelve(make.unfinished(status.version), isLasting: true, &batch)
      }
    }
    take(Examiner.examine(path, in: place), make, started: started, &batch)
  }

  private func recordingName(_ path: RelativePath) -> RecordingName? {
    switch RecordingName.of(path) {
    case .recording(let name): return name
    case .other: return nil
    case .hidden:
      tell(.leftOut(path: path.text, reason: "its name starts with a dot", .info))
      return nil
    }
  }

  private func take(_ finding: Finding, _ make: RecordingMaker, started: Int64, _ batch: inout LookBatch) {
    switch finding {
    case .gone:
      schedule.forget(make.path)
      if make.old != nil { batch.removals.append(make.path) }
    case .unsettled(let version):
      doubtful.insert(make.path)
      schedule.look(at: make.path, when: started + LibraryLimits.lookIntervalNanoseconds)
      // Out of descriptors is no reason to take a good recording off the list.
      guard let version, version != make.old?.version else { return }
      shelve(make.unfinished(version), isLasting: false, &batch)
    case .refused(let reason, let version, let isLasting):
      shelve(make.refused(reason, version), isLasting: isLasting, &batch)
    case .incomplete(let error, let version):
      let isSettled = isSettled(make, isWhole: false, version)
      shelve(
        isSettled ? make.refused(error.description, version) : make.unfinished(version), isLasting: true, &batch)
    case .complete(let file):
      let age = make.wall.subtractingReportingOverflow(file.version.modifiedNanoseconds).partialValue
      if age.magnitude < UInt64(LibraryLimits.clockTickNanoseconds) { doubtful.insert(make.path) }
      if isSettled(make, isWhole: !file.index.isRecovered, file.version) {
        batch.put(make.ready(file), head: file.index.head, notes: file.index.notes, started: started)
      } else {
        shelve(make.unfinished(file.version), isLasting: true, &batch)
      }
    }
  }

  /// Has it looked at again where it is not.
  private func isSettled(_ make: RecordingMaker, isWhole: Bool, _ version: FileVersion) -> Bool {
    let verdict = schedule.judge(
      make.path, isWhole: isWhole, modified: version.modifiedNanoseconds, wall: make.wall,
      now: clock.monotonicNanoseconds())
    guard case .recording(let time) = verdict else { return true }
    schedule.look(at: make.path, when: time)
    return false
  }

  private func shelve(_ recording: Recording, isLasting: Bool, _ batch: inout LookBatch) {
    if !isLasting { doubtful.insert(recording.path) }
    batch.put(recording)
  }
}
