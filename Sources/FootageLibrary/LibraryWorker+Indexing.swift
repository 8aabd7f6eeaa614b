/// Looking at files one by one, and what comes of it.

internal import FootageMedia
internal import FootageSystem

/// A look that goes on while other files are looked at.
struct LateExamination: Sendable {
  let path: RelativePath
  let name: RecordingName
  let file: RandomAccessFile
  let lease: WriterAnswer
  /// Of the clock that never goes back, in nanoseconds.
  let started: Int64
  let examination: FileExamination
}

extension LibraryWorker {
  /// Looks at what is due, up to the size of a batch, and stores it.
  ///
  /// - Parameter late: what has come of looks that took long.
  /// - Returns: whether there was anything.
  @discardableResult
  func storeBatch(_ late: [LateExamination] = []) -> Bool {
    let started = clock.uptimeNanoseconds
    var batch = IndexBatch()
    for look in late { take(look, &batch) }
    while batch.paths.count < LibraryLimits.batchFiles, batch.fileBytes < LibraryLimits.batchFileBytes,
      clock.uptimeNanoseconds - started < LibraryLimits.batchNanoseconds,
      let path = schedule.next(now: clock.uptimeNanoseconds)
    {
      guard !batch.paths.contains(path) else {
        schedule.noteDemanded(path)
        break
      }
      look(at: path, &batch)
    }
    let isRetrying = min(nextSave ?? .max, nextHead ?? .max) <= started
    let isUnsaved = !unpersisted.isEmpty && nextSave == nil
    guard !batch.paths.isEmpty || isRetrying || isUnsaved else { return false }
    store(batch)
    return true
  }

  /// Looks at this one now, whatever its version, and stores what comes of it.
  func index(_ path: RelativePath) -> Recording? {
    stale.insert(path)
    var batch = IndexBatch()
    look(at: path, &batch)
    store(batch)
    return registry[path]
  }

  private func look(at path: RelativePath, _ batch: inout IndexBatch) {
    guard !isFolderMissing, let name = recordingName(path) else { return }
    let started = clock.uptimeNanoseconds
    guard !underWay.contains(path) else {
      return schedule.look(at: path, when: started + LibraryLimits.lookIntervalNanoseconds)
    }
    batch.paths.insert(path)
    let old = registry[path]
    let status: FileStatus
    do throws(StorageError) {
      status = try place.status(of: path)
    } catch {
      return take(IndexResult(error, at: path), make(path, name), started: started, &batch)
    }
    if status.kind == .regular { noteSighting(path, status) }
    if isCurrent(path, status), old?.state != .recording {
      // A protection that came within one tick of the clock shows in nothing else.
      if let old { mark(path, keeper: keeper(of: old)) }
      return
    }
    stale.remove(path)
    if let holder = batch.holder(of: name.text, else: registry), holder != path {
      return batch.put(make(path, name).clashing(with: holder, status.version))
    }
    guard path.isExact else {
      return take(.refused(Self.isNotUTF8, status.version), make(path, name), started: started, &batch)
    }
    switch status.kind {
    case .folder: return take(.gone, make(path, name), started: started, &batch)
    case .symbolicLink:
      return take(
        .refused(
          "it is a symbolic link, and those are not followed: put the file itself, or a hard link to it, here",
          status.version), make(path, name), started: started, &batch)
    case .other:
      return take(.refused("it is not a regular file", status.version), make(path, name), started: started, &batch)
    case .regular: break
    }
    let evidence = schedule.evidence(of: path)
    let age = WriterPresence.age(of: status.version.modifiedNanoseconds, at: clock.unixNanoseconds)
    if case .present(let again) = WriterPresence.early(evidence, age: age, now: started) {
      schedule.look(at: path, when: again)
      return batch.put(make(path, name).unfinished(status.version))
    }
    if let reason = fatalReason(path, status.version) {
      return batch.put(make(path, name).refused(reason, status.version))
    }
    open(path, name, status.version, evidence, started: started, &batch)
  }

  private static let isNotUTF8 =
    "its name, or that of a folder that it is in, is not UTF-8: rename that, and it can be played"

  private func open(
    _ path: RelativePath, _ name: RecordingName, _ version: FileVersion, _ evidence: WriterEvidence, started: Int64,
    _ batch: inout IndexBatch
  ) {
    let file: RandomAccessFile
    do throws(StorageError) {
      file = try place.open(path)
    } catch {
      return take(IndexResult(error, at: path, version), make(path, name), started: started, &batch)
    }
    let lease: WriterAnswer = if case .closed = evidence { .unknown } else { file.writers() }
    if lease == .held {
      schedule.look(at: path, when: started + LibraryLimits.leaseIntervalNanoseconds)
      return batch.put(make(path, name).unfinished(file.openingStatus.version))
    }
    let wasSeenGrowing =
      switch evidence {
      case .none, .moved: false
      case .created, .modified, .closed: true
      }
    let deliver = deliver
    let examination = examiner.examine(
      file, isQuickTime: path.isQuickTime, lane: wasSeenGrowing ? .growing : .whole,
      patience: role == .server ? LibraryLimits.patienceMilliseconds : nil
    ) { examination in
      deliver(
        LateExamination(path: path, name: name, file: file, lease: lease, started: started, examination: examination))
    }
    guard let examination else {
      underWay.insert(path)
      return
    }
    let look = LateExamination(
      path: path, name: name, file: file, lease: lease, started: started, examination: examination)
    conclude(look, &batch)
  }

  /// What has come of a look that took long, unless the path has another file by now.
  private func take(_ look: LateExamination, _ batch: inout IndexBatch) {
    underWay.remove(look.path)
    guard let status = try? place.status(of: look.path), status.version == look.file.openingStatus.version,
      batch.paths.insert(look.path).inserted
    else { return schedule.noteDemanded(look.path) }
    // Another file may have taken the name meanwhile.
    if let holder = batch.holder(of: look.name.text, else: registry), holder != look.path {
      return batch.put(make(look.path, look.name).clashing(with: holder, status.version))
    }
    conclude(look, &batch)
  }

  private static let unfiltered =
    "this kernel has no filter for system calls (CONFIG_SECCOMP_FILTER): a recording that takes over the process that "
    + "reads it can do what this user may"

  private func conclude(_ look: LateExamination, _ batch: inout IndexBatch) {
    if examiner.isUnfiltered { tell(.warning(Self.unfiltered)) }
    let finding = IndexResult(look.examination, of: look.file)
    // The clock is read after the file, so that no write of meanwhile lies ahead of it.
    let make = make(look.path, look.name)
    let now = clock.uptimeNanoseconds
    let version = look.file.openingStatus.version
    if let isWhole = finding.isWhole {
      let age = WriterPresence.age(of: version.modifiedNanoseconds, at: make.wall)
      let evidence = schedule.evidence(of: look.path)
      // Of several that had it open one has closed it; of a whole file that is nobody's concern.
      let lease = isWhole || look.lease != .unknown ? look.lease : look.file.writers()
      let presence = WriterPresence.judge(
        evidence, lease: lease, isWhole: isWhole, isWatched: watcher.isWatched(look.path), age: age, now: now)
      // That it is ready was known before, and nothing but its name or mode was touched.
      let isKnown = make.old?.state == .ready && make.old?.version == version && evidence != .modified
      if case .present(let again) = presence, !isKnown {
        schedule.look(at: look.path, when: again)
        return batch.put(make.unfinished(version))
      }
      schedule.noteWriterless(look.path, now: now)
      // A write within a tick of this one would not show in the version.
      if age < LibraryLimits.clockTickNanoseconds { stale.insert(look.path) }
    }
    take(finding, make, started: look.started, changed: look.file.openingStatus.changedNanoseconds, &batch)
  }

  private func make(_ path: RelativePath, _ name: RecordingName) -> RecordingBuilder {
    RecordingBuilder(
      path: path, name: name, old: registry[path], place: place, naming: naming,
      wall: clock.unixNanoseconds, film: films.film(at: path))
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

  private func take(
    _ finding: IndexResult, _ make: RecordingBuilder, started: Int64, changed: Int64? = nil, _ batch: inout IndexBatch
  ) {
    let now = clock.uptimeNanoseconds
    switch finding {
    case .gone:
      schedule.forget(make.path)
      forgetFatal(make.path)
      guard let old = make.old, !old.isRemote else { return }
      if let remote = remote(old) { return batch.put(remote) }
      if isAway(old) { batch.away.append(make.path) } else { batch.removals.append(make.path) }
      return
    case .unsettled(let version):
      stale.insert(make.path)
      schedule.look(at: make.path, when: started + LibraryLimits.lookIntervalNanoseconds)
      // What is known stays until more is.
      guard let version, make.old == nil else { return }
      return batch.put(make.unfinished(version))
    case .failed(let reason, let version):
      // Its look was broken off because the library is let go: that says nothing of the file.
      if examiner.isStopped { return }
      stale.insert(make.path)
      schedule.lookAfterFailure(at: make.path, now: now)
      tell(.warning("cannot look at \(make.path), and will try again: \(reason)"))
      // That somebody writes to it is no longer known either.
      guard make.old == nil || make.old?.state == .recording else { return }
      return batch.put(make.refused(reason, version))
    case .refused(let reason, let version): batch.put(make.refused(reason, version))
    case .incomplete(let reason, let version): batch.put(make.refused(reason, isCutOff: true, version))
    case .fatal(let reason, let version):
      noteFatal(make.path, version, reason)
      batch.put(make.refused(reason, version))
      return
    case .complete(let file, let files):
      batch.put(make.ready(file, changed: changed), files: files, notes: file.content.notes, started: started)
    }
    schedule.noteSuccess(make.path)
    forgetFatal(make.path)
  }
}

extension IndexResult {
  /// Whether nothing is missing at the file's end; nil where its structure does not tell.
  fileprivate var isWhole: Bool? {
    switch self {
    case .complete(let file, _): !file.content.isRecovered
    case .incomplete: false
    default: nil
    }
  }
}
