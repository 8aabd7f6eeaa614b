internal import FootageBase
internal import FootageSystem

/// The schedule of looks at files, with the evidence of their writers. It does no input or output, and reads no clock.

/// The schedule of looks at files, with the evidence of their writers. All times are in nanoseconds: `now` is from a
/// monotonic clock, `wall` and `modified` count from 1970.
struct IndexSchedule {
  private enum Place { case nowhere, backlog, urgent }

  private struct Entry {
    /// The time of the next look; nil if none is needed.
    var due: Int64?
    var place = Place.nowhere
    var lastLook: Int64?
    var evidence = WriterEvidence.none
    /// The pause after looks that found nothing out.
    var backoff = Backoff(
      from: .nanoseconds(LibraryLimits.lookIntervalNanoseconds), upTo: .nanoseconds(LibraryLimits.backOffNanoseconds))
  }

  private var entries: [RelativePath: Entry] = [:]
  /// The files to examine now, because something has just happened to them.
  private var urgent = FIFOQueue<RelativePath>()
  /// The files that a scan found, to be examined when nothing else is due.
  private var backlog = FIFOQueue<RelativePath>()
  /// The paths with a time for a look. A path whose time has changed since is in here more than once.
  private var waiting = DeadlineHeap()
  private var stale: Set<RelativePath> = []

  // MARK: Events

  /// Records that a writer has closed the file, so that there is nothing to wait for.
  mutating func noteFinished(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].evidence = .closed(at: now)
    queue(path)
  }

  /// Records that the file was moved here.
  mutating func noteMoved(_ path: RelativePath) {
    entries[path, default: Entry()].evidence = .moved
    queue(path)
  }

  /// Records that the name was created.
  mutating func noteCreated(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].evidence = .created
    noteTouched(path, now: now)
  }

  /// Records that the file was written to. Many such calls cost one look a second.
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

  /// Records that the name is gone; a file that later appears under it is a different one.
  mutating func noteGone(_ path: RelativePath) {
    entries[path, default: Entry()].evidence = .none
    queue(path)
  }

  /// Records that events were lost, so that the writers of files must be found out in another way.
  mutating func noteOverflow() {
    for (path, entry) in entries where entry.evidence != .none {
      entries[path]?.evidence = .none
      noteScanned(path)
    }
  }

  /// Schedules a look at once, because more is needed than is known of the file.
  mutating func noteDemanded(_ path: RelativePath) { queue(path) }

  /// Schedules a look at once, whatever the file's version, because more is needed than is known of it.
  mutating func noteDemandedAgain(_ path: RelativePath) {
    noteStale(path)
    noteDemanded(path)
  }

  /// Marks the file as not current although its version is unchanged. There are three reasons: a write within one clock
  /// tick does not show in the version; the preamble or index has to be rebuilt; or the reason for refusing the file
  /// may have passed.
  mutating func noteStale(_ path: RelativePath) { stale.insert(path) }

  /// Marks the knowledge of the file as current.
  mutating func noteCurrent(_ path: RelativePath) { stale.remove(path) }

  func isStale(_ path: RelativePath) -> Bool { stale.contains(path) }

  /// Records that a scan found the file new, changed or missing.
  mutating func noteScanned(_ path: RelativePath) {
    guard entries[path, default: Entry()].place == .nowhere else { return }
    entries[path, default: Entry()].place = .backlog
    backlog.append(path)
  }

  /// Schedules a look for that time, or earlier if something happens to the file.
  mutating func look(at path: RelativePath, when due: Int64) {
    let entry = entries[path, default: Entry()]
    guard entry.place == .nowhere, due < entry.due ?? .max else { return }
    entries[path, default: Entry()].due = due
    waiting.insert(path, due: due)
  }

  /// Schedules another look at a file about which nothing could be found out. The pause grows with each failure.
  mutating func lookAfterFailure(at path: RelativePath, now: Int64) {
    entries[path, default: Entry()].backoff.failed()
    look(at: path, when: now + entries[path, default: Entry()].backoff.pause.inNanoseconds)
  }

  /// Records that a look found something out.
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

  /// True if files that scans found are still waiting for a look.
  var hasBacklog: Bool { !backlog.isEmpty }

  /// Forgets a file that is gone for good.
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
  /// Returns whether another look may still need this evidence.
  fileprivate func isWanted(at now: Int64) -> Bool {
    switch self {
    case .modified: true
    case .closed(let time): now - time < LibraryLimits.silentNanoseconds
    case .none, .created, .moved: false
    }
  }
}
