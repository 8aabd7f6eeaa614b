internal import FootageMedia
internal import FootageSystem

/// The result of an examination that took long, while other files were examined.
struct LateExamination: Sendable {
  let path: RelativePath
  let name: RecordingName
  let file: RandomAccessFile
  let lease: WriterAnswer
  /// The monotonic time of the start, in nanoseconds.
  let started: Int64
  let examination: FileExamination
}

/// The examiner of the folder's files, one after the other.
final class Indexer {
  private let model: FolderModel
  private let committer: Committer
  private let fileSystems: FileSystems
  private let protections: Protections
  private let stored: StoredKnowledge
  private let examiner: any FileIndexer
  /// The function that passes the result of an examination that took long to a later turn; callable from any thread.
  private let deliver: @Sendable (LateExamination) -> Void
  /// The paths whose examinations take long and are still running.
  private var underWay: Set<RelativePath> = []

  init(
    _ model: FolderModel, _ committer: Committer, _ fileSystems: FileSystems, _ protections: Protections,
    _ stored: StoredKnowledge, by examiner: any FileIndexer, deliver: @escaping @Sendable (LateExamination) -> Void
  ) {
    self.model = model
    self.committer = committer
    self.fileSystems = fileSystems
    self.protections = protections
    self.stored = stored
    self.examiner = examiner
    self.deliver = deliver
  }

  /// True if no examination is in progress.
  var isIdle: Bool { underWay.isEmpty }
  var restartCount: UInt64 { examiner.restartCount }

  /// Examines the files that are due, up to the size of a batch, and stores the results.
  ///
  /// - Parameter late: the results of examinations that took long.
  /// - Returns: true if there were any results.
  @discardableResult
  func storeBatch(_ late: [LateExamination] = []) -> Bool {
    let started = model.clock.uptimeNanoseconds
    var batch = IndexBatch()
    for look in late { take(look, &batch) }
    while batch.paths.count < LibraryLimits.batchFiles, batch.fileBytes < LibraryLimits.batchFileBytes,
      model.clock.uptimeNanoseconds - started < LibraryLimits.batchNanoseconds,
      let path = model.schedule.next(now: model.clock.uptimeNanoseconds)
    {
      guard !batch.paths.contains(path) else {
        model.schedule.noteDemanded(path)
        break
      }
      look(at: path, &batch)
    }
    let isRetrying = committer.nextRetry.map { $0 <= started } ?? false
    guard !batch.paths.isEmpty || isRetrying || committer.isUnsaved else { return false }
    committer.store(batch)
    return true
  }

  /// Examines this file now, even if its version has not changed, and stores the result.
  func index(_ path: RelativePath) -> Recording? {
    model.schedule.noteStale(path)
    var batch = IndexBatch()
    look(at: path, &batch)
    committer.store(batch)
    return model.registry[path]
  }

  /// Replaces the preamble and the index of a recording, which other rules made, by those of the present rules.
  ///
  /// - Parameters:
  ///   - known: the recording when its file was examined.
  ///   - file: the result of the examination.
  /// - Returns: nil if the recording was changed meanwhile.
  func remake(_ known: Recording, _ file: IndexedFile, _ files: DerivedFiles, changed: Int64?) -> Remade? {
    guard let name = recordingName(known.path), let old = model.registry[known.path], old.state == .ready,
      old.version.isSameFile(as: file.version), let before = old.content, before.tag == known.content?.tag,
      old.name == known.name
    else { return nil }
    let make = make(known.path, name)
    var batch = IndexBatch()
    var remade = Remade(name: old.name, why: nil, before: before.tag, after: before.tag)
    let same = make.ready(file, changed: changed, tag: old.tag(for: file))
    if let content = same.content, content.isServed(as: before) {
      if !same.hasSameModel(as: old) {
        let tag = ContentTag.remade(file.content.tag, rules: Int(MovieIndex.rulesVersion))
        remade = Remade(name: old.name, why: .model, before: before.tag, after: tag)
        batch.put(make.ready(file, changed: changed, tag: tag), files: files, notes: file.content.notes)
      } else {
        batch.put(same)
      }
    } else {
      remade = Remade(name: old.name, why: .header, before: before.tag, after: file.content.tag)
      batch.put(make.ready(file, changed: changed), files: files, notes: file.content.notes)
    }
    committer.store(batch)
    return remade
  }

  private func look(at path: RelativePath, _ batch: inout IndexBatch) {
    guard !model.isFolderMissing, let name = recordingName(path) else { return }
    let started = model.clock.uptimeNanoseconds
    guard !underWay.contains(path) else {
      return model.schedule.look(at: path, when: started + LibraryLimits.lookIntervalNanoseconds)
    }
    batch.paths.insert(path)
    let old = model.registry[path]
    let status: FileStatus
    do throws(StorageError) {
      status = try model.place.status(of: path)
    } catch {
      return take(IndexResult(error, at: path), make(path, name), started: started, &batch)
    }
    if status.kind == .regular { model.noteSighting(path, status) }
    if isCurrent(path, status), old?.state != .recording {
      // A protection that was set within one clock tick shows in nothing else.
      if let old { model.mark(path, keeper: protections.keeper(of: old)) }
      return
    }
    model.schedule.noteCurrent(path)
    if let holder = batch.holder(of: name.text, else: model.registry), holder != path {
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
          "it is a symbolic link, which is not followed: put the file itself, or a hard link to it, here",
          status.version), make(path, name), started: started, &batch)
    case .other:
      return take(.refused("it is not a regular file", status.version), make(path, name), started: started, &batch)
    case .regular: break
    }
    let evidence = model.schedule.evidence(of: path)
    let age = WriterPresence.age(of: status.version.modifiedNanoseconds, at: model.clock.unixNanoseconds)
    if case .present(let again) = WriterPresence.early(evidence, age: age, now: started) {
      model.schedule.look(at: path, when: again)
      return batch.put(make(path, name).unfinished(status.version))
    }
    if let reason = committer.fatalReason(path, status.version) {
      return batch.put(make(path, name).refused(reason, status.version))
    }
    open(path, name, status.version, evidence, started: started, &batch)
  }

  private static let isNotUTF8 =
    "its name, or the name of a folder in its path, is not UTF-8: rename that to make it playable"

  private func open(
    _ path: RelativePath, _ name: RecordingName, _ version: FileVersion, _ evidence: WriterEvidence, started: Int64,
    _ batch: inout IndexBatch
  ) {
    let file: RandomAccessFile
    do throws(StorageError) {
      file = try model.place.open(path)
    } catch {
      return take(IndexResult(error, at: path, version), make(path, name), started: started, &batch)
    }
    let lease: WriterAnswer = if case .closed = evidence { .unknown } else { file.writers() }
    if lease == .held {
      model.schedule.look(at: path, when: started + LibraryLimits.leaseIntervalNanoseconds)
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
      patience: model.role == .server ? LibraryLimits.patienceMilliseconds : nil
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

  /// Uses the result of an examination that took long, unless the path has a different file now.
  private func take(_ look: LateExamination, _ batch: inout IndexBatch) {
    underWay.remove(look.path)
    guard let status = try? model.place.status(of: look.path), status.version == look.file.openingStatus.version,
      batch.paths.insert(look.path).inserted
    else { return model.schedule.noteDemanded(look.path) }
    // Another file may have taken the name meanwhile.
    if let holder = batch.holder(of: look.name.text, else: model.registry), holder != look.path {
      return batch.put(make(look.path, look.name).clashing(with: holder, status.version))
    }
    conclude(look, &batch)
  }

  private static let unfiltered =
    "this kernel cannot filter system calls (CONFIG_SECCOMP_FILTER): a recording that takes over the process that "
    + "reads it can do whatever this user may do"

  private func conclude(_ look: LateExamination, _ batch: inout IndexBatch) {
    if examiner.isUnfiltered { model.tell(.warning(Self.unfiltered)) }
    let finding = IndexResult(look.examination, of: look.file)
    // Read the clock after the file, so that no write in between can be ahead of it.
    let make = make(look.path, look.name)
    let now = model.clock.uptimeNanoseconds
    let version = look.file.openingStatus.version
    if let isWhole = finding.isWhole {
      let age = WriterPresence.age(of: version.modifiedNanoseconds, at: make.wall)
      let evidence = model.schedule.evidence(of: look.path)
      // One of several writers may have closed the file. For a complete file the others do not matter.
      let lease = isWhole || look.lease != .unknown ? look.lease : look.file.writers()
      let presence = WriterPresence.judge(
        evidence, lease: lease, isWhole: isWhole, isWatched: model.watcher.isWatched(look.path), age: age, now: now)
      // The file was known to be ready, and only its name or mode was touched.
      let isKnown = make.old?.state == .ready && make.old?.version == version && evidence != .modified
      if case .present(let again) = presence, !isKnown {
        model.schedule.look(at: look.path, when: again)
        return batch.put(make.unfinished(version))
      }
      model.schedule.noteWriterless(look.path, now: now)
      // A write within one tick of this look would not show in the version.
      if age < LibraryLimits.clockTickNanoseconds { model.schedule.noteStale(look.path) }
    }
    if case .complete(let found, let files) = finding,
      let kept = OlderVersion.kept(
        make.old, found, files, of: look.file, changed: look.file.openingStatus.changedNanoseconds)
    {
      batch.put(kept.recording, files: kept.files)
      return noteExamined(look.path)
    }
    take(finding, make, started: look.started, changed: look.file.openingStatus.changedNanoseconds, &batch)
  }

  private func make(_ path: RelativePath, _ name: RecordingName) -> RecordingBuilder {
    RecordingBuilder(
      path: path, name: name, old: model.registry[path], place: model.place, naming: model.naming,
      wall: model.clock.unixNanoseconds, film: model.films.film(at: path))
  }

  private func recordingName(_ path: RelativePath) -> RecordingName? {
    switch RecordingName.of(path) {
    case .recording(let name): return name
    case .other: return nil
    case .hidden:
      model.tell(.leftOut(path: path.text, reason: "its name starts with a dot", .info))
      return nil
    }
  }

  private func take(
    _ finding: IndexResult, _ make: RecordingBuilder, started: Int64, changed: Int64? = nil, _ batch: inout IndexBatch
  ) {
    let now = model.clock.uptimeNanoseconds
    switch finding {
    case .gone:
      model.schedule.forget(make.path)
      committer.forgetFatal(make.path)
      guard let old = make.old, !old.isRemote else { return }
      if let remote = stored.remote(old) { return batch.put(remote) }
      if fileSystems.isAway(old) { batch.away.append(make.path) } else { batch.removals.append(make.path) }
      return
    case .unsettled(let version):
      model.schedule.noteStale(make.path)
      model.schedule.look(at: make.path, when: started + LibraryLimits.lookIntervalNanoseconds)
      // Keep what is known until more is known.
      guard let version, make.old == nil else { return }
      return batch.put(make.unfinished(version))
    case .failed(let reason, let version):
      // The look was aborted because the library is closing, which says nothing about the file.
      if examiner.isStopped { return }
      model.schedule.noteStale(make.path)
      model.schedule.lookAfterFailure(at: make.path, now: now)
      model.tell(.warning("cannot examine \(make.path), and will try again: \(reason)"))
      // Whether a process is still writing to the file is now unknown as well.
      guard make.old == nil || make.old?.state == .recording else { return }
      return batch.put(make.refused(reason, version))
    case .refused(let reason, let version): batch.put(make.refused(reason, version))
    case .incomplete(let reason, let version): batch.put(make.refused(reason, isCutOff: true, version))
    case .fatal(let reason, let version):
      committer.noteFatal(make.path, version, reason)
      batch.put(make.refused(reason, version))
      return
    case .complete(let file, let files):
      batch.put(
        make.ready(file, changed: changed, tag: make.old?.tag(for: file)), files: files, notes: file.content.notes,
        started: started)
    }
    noteExamined(make.path)
  }

  /// Records that an examination of a file has a result that only another version of the file could change.
  private func noteExamined(_ path: RelativePath) {
    model.schedule.noteSuccess(path)
    committer.forgetFatal(path)
  }

  /// Returns whether another examination could not yield anything new. For a file that is still being recorded, the
  /// next examination is scheduled.
  ///
  /// A program can restore a file's modification time but not its change time (`st_ctime`). A changed change time does
  /// not prove that the bytes have changed, because a new name or mode changes it as well; it only causes another
  /// examination.
  func isCurrent(_ path: RelativePath, _ status: FileStatus) -> Bool {
    guard let known = model.registry[path], known.version == status.version, !known.isRemote,
      !model.schedule.isStale(path)
    else {
      return false
    }
    guard known.state == .ready else { return true }
    guard let changed = known.changedNanoseconds else {
      // The row was written by an earlier program.
      known.noteChanged(nanoseconds: status.changedNanoseconds)
      return true
    }
    return changed == status.changedNanoseconds
  }
}

extension IndexResult {
  /// True if the file is complete to its end; nil if its structure does not show that.
  fileprivate var isWhole: Bool? {
    switch self {
    case .complete(let file, _): !file.content.isRecovered
    case .incomplete: false
    default: nil
    }
  }
}
