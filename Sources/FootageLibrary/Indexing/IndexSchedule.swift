internal import FootageBase
internal import FootageSystem

/// The schedule of examinations of files, with the evidence of their writers. It does no input or output, and reads no
/// clock.

/// The schedule of examinations of files, with the evidence of their writers. All times are in nanoseconds: `now` is
/// from a monotonic clock, `wall` and `modified` count from 1970.
struct IndexSchedule {
  private enum Place { case nowhere, backlog, urgent }

  private struct Entry {
    /// The time of the next examination; nil if none is needed.
    var due: Int64?
    var place = Place.nowhere
    var lastLook: Int64?
    var evidence = WriterEvidence.none
    /// The pause after examinations that failed.
    var backoff = Backoff(
      from: .nanoseconds(LibraryLimits.lookIntervalNanoseconds), upTo: .nanoseconds(LibraryLimits.backOffNanoseconds))
  }

  private var entries: [RelativePath: Entry] = [:]
  /// The files to examine now, because they have just changed.
  private var urgent = FIFOQueue<RelativePath>()
  /// The files that a scan found, to be examined when nothing else is due.
  private var backlog = FIFOQueue<RelativePath>()
  /// The paths for which an examination is scheduled at a later time. If a path's time has changed since, the path is
  /// in the heap more than once.
  private var waiting = DeadlineHeap()
  private var stale: Set<RelativePath> = []

  // MARK: Events

  /// Records that a writer has closed the file, so that it can be examined at once.
  mutating func noteFinished(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].evidence = .closed(at: now)
    queue(path)
  }

  /// Records that the file was moved to this path.
  mutating func noteMoved(_ path: RelativePath) {
    entries[path, default: Entry()].evidence = .moved
    queue(path)
  }

  /// Records that a file with this name was created.
  mutating func noteCreated(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].evidence = .created
    noteTouched(path, now: now)
  }

  /// Records that the file was written to. Many such calls cause one examination a second.
  mutating func noteModified(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].evidence = .modified
    noteTouched(path, now: now)
  }

  /// Records another change to the file, for example of its mode.
  mutating func noteTouched(_ path: RelativePath, now: Int64) {
    let entry = entries[path, default: Entry()]
    guard entry.place == .nowhere else { return }
    guard let lastLook = entry.lastLook, now - lastLook < LibraryLimits.lookIntervalNanoseconds else {
      return queue(path)
    }
    look(at: path, when: lastLook + LibraryLimits.lookIntervalNanoseconds)
  }

  /// Records that the name no longer exists. A file that appears under it later is a different one.
  mutating func noteGone(_ path: RelativePath) {
    entries[path, default: Entry()].evidence = .none
    queue(path)
  }

  /// Records that events were lost, so that the writers of files must be determined in another way.
  mutating func noteOverflow() {
    for (path, entry) in entries where entry.evidence != .none {
      entries[path]?.evidence = .none
      noteScanned(path)
    }
  }

  /// Schedules an examination at once, because more facts about the file are needed.
  mutating func noteDemanded(_ path: RelativePath) { queue(path) }

  /// Schedules an examination at once, even if the file's version has not changed, because more facts about it are
  /// needed.
  mutating func noteDemandedAgain(_ path: RelativePath) {
    noteStale(path)
    noteDemanded(path)
  }

  /// Marks what is known of the file as out of date although its version is unchanged. There are three reasons: a write
  /// within one clock tick does not show in the version; the preamble or index has to be rebuilt; or the reason for
  /// refusing the file may no longer apply.
  mutating func noteStale(_ path: RelativePath) { stale.insert(path) }

  /// Marks what is known of the file as up to date.
  mutating func noteCurrent(_ path: RelativePath) { stale.remove(path) }

  func isStale(_ path: RelativePath) -> Bool { stale.contains(path) }

  /// Records that a scan found the file to be new, changed or missing.
  mutating func noteScanned(_ path: RelativePath) {
    guard entries[path, default: Entry()].place == .nowhere else { return }
    entries[path, default: Entry()].place = .backlog
    backlog.append(path)
  }

  /// Schedules an examination for the time `due`, or earlier if the file changes.
  mutating func look(at path: RelativePath, when due: Int64) {
    let entry = entries[path, default: Entry()]
    guard entry.place == .nowhere, due < entry.due ?? .max else { return }
    entries[path, default: Entry()].due = due
    waiting.insert(path, due: due)
  }

  /// Schedules another examination of a file after one that failed. The pause grows with each failure.
  mutating func lookAfterFailure(at path: RelativePath, now: Int64) {
    entries[path, default: Entry()].backoff.failed()
    look(at: path, when: now + entries[path, default: Entry()].backoff.pause.inNanoseconds)
  }

  /// Records that an examination did not fail.
  mutating func noteSuccess(_ path: RelativePath) {
    entries[path]?.backoff.succeeded()
  }

  /// Returns the evidence of the file's writer.
  func evidence(of path: RelativePath) -> WriterEvidence { entries[path]?.evidence ?? .none }

  /// Records that the file was found to have no writer any more, whatever the events reported.
  mutating func noteWriterless(_ path: RelativePath, now: Int64) {
    if entries[path]?.evidence == .modified { entries[path]?.evidence = .closed(at: now) }
  }

  private mutating func queue(_ path: RelativePath) {
    guard entries[path, default: Entry()].place != .urgent else { return }
    // A path in the backlog is also put in front; its second turn is skipped.
    entries[path, default: Entry()].place = .urgent
    urgent.append(path)
  }

  // MARK: Due looks

  /// Returns the next file to examine; nil if none is due.
  mutating func next(now: Int64) -> RelativePath? {
    while let appointment = waiting.first, appointment.due <= now {
      waiting.removeFirst()
      if entries[appointment.path]?.due == appointment.due { queue(appointment.path) }
    }
    while let path = urgent.popFirst() ?? backlog.popFirst() {
      guard let place = entries[path]?.place, place != .nowhere else { continue }
      entries[path]?.place = .nowhere
      entries[path]?.due = nil
      entries[path]?.lastLook = now
      return path
    }
    while let appointment = waiting.first, entries[appointment.path]?.due != appointment.due { waiting.removeFirst() }
    forgetIdle(now: now)
    return nil
  }

  /// The time when `next` will return a file; nil if there is none.
  ///
  /// The time may be obsolete until `next` is called.
  var nextDue: Int64? {
    if !urgent.isEmpty || !backlog.isEmpty { return .min }
    return waiting.first?.due
  }

  /// True if files that scans found are still waiting to be examined.
  var hasBacklog: Bool { !backlog.isEmpty }

  /// Forgets a file that no longer exists.
  mutating func forget(_ path: RelativePath) {
    guard entries[path]?.place == .nowhere else { return }
    entries[path] = nil
  }

  /// Removes the entries of files that were examined a while ago and are no longer needed.
  private mutating func forgetIdle(now: Int64) {
    guard entries.count > 2 * waiting.count + 256 else { return }
    entries = entries.filter { path, entry in
      entry.place != .nowhere || entry.due != nil || entry.evidence.isWanted(at: now)
        || now - (entry.lastLook ?? .min / 2) < LibraryLimits.lookIntervalNanoseconds
    }
  }
}

extension WriterEvidence {
  /// Returns true if a later examination may still need this evidence.
  fileprivate func isWanted(at now: Int64) -> Bool {
    switch self {
    case .modified: true
    case .closed(let time): now - time < LibraryLimits.silentNanoseconds
    case .none, .created, .moved: false
    }
  }
}
