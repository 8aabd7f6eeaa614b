internal import FootageBase
internal import FootageSystem

/// When which file is to be looked at, and what is known of its writer: no input or output, and no clock.

/// All times are nanoseconds: `now` of a clock that never goes back, `wall` and `modified` since 1970.
struct IndexSchedule {
  private enum Place { case nowhere, backlog, urgent }

  private struct Entry {
    /// Nil: nothing to do.
    var due: Int64?
    var place = Place.nowhere
    var lastLook: Int64?
    var evidence = WriterEvidence.none
    /// Of looks that found nothing out.
    var backoff = Backoff(
      from: .nanoseconds(LibraryLimits.lookIntervalNanoseconds), upTo: .nanoseconds(LibraryLimits.backOffNanoseconds))
  }

  private var entries: [RelativePath: Entry] = [:]
  /// To be looked at now, because something has just happened to them.
  private var urgent = FIFOQueue<RelativePath>()
  /// To be looked at when nothing else is: what a scan found.
  private var backlog = FIFOQueue<RelativePath>()
  /// The paths with a time to be looked at; those whose time has changed since stand here more than once.
  private var waiting = DeadlineHeap()
  private var stale: Set<RelativePath> = []

  // MARK: What happened

  /// A writer has closed the file: nothing is worth waiting for.
  mutating func noteFinished(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].evidence = .closed(at: now)
    queue(path)
  }

  /// The file was moved here.
  mutating func noteMoved(_ path: RelativePath) {
    entries[path, default: Entry()].evidence = .moved
    queue(path)
  }

  /// The name was made.
  mutating func noteCreated(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].evidence = .created
    noteTouched(path, now: now)
  }

  /// The file was written to. Many of these cost one look a second.
  mutating func noteModified(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].evidence = .modified
    noteTouched(path, now: now)
  }

  /// Something else happened to the file: its mode changed, say.
  mutating func noteTouched(_ path: RelativePath, now: Int64) {
    let entry = entries[path, default: Entry()]
    guard entry.place == .nowhere else { return }
    guard let lastLook = entry.lastLook, now - lastLook < LibraryLimits.lookIntervalNanoseconds else {
      return queue(path)
    }
    look(at: path, when: lastLook + LibraryLimits.lookIntervalNanoseconds)
  }

  /// The name is gone; whatever comes back under it is another file.
  mutating func noteGone(_ path: RelativePath) {
    entries[path, default: Entry()].evidence = .none
    queue(path)
  }

  /// Events were lost: that a file has a writer has to be found out in another way.
  mutating func noteOverflow() {
    for (path, entry) in entries where entry.evidence != .none {
      entries[path]?.evidence = .none
      noteScanned(path)
    }
  }

  /// Somebody needs to know more of the file than is known.
  mutating func noteDemanded(_ path: RelativePath) { queue(path) }

  /// Somebody needs to know more of the file than is known, whatever its version.
  mutating func noteDemandedAgain(_ path: RelativePath) {
    noteStale(path)
    noteDemanded(path)
  }

  /// The file is not to be taken for current though its version is: a write within one tick of the clock does not show in
  /// it, the preamble or the index has to be made again, or the reason for refusing may have passed.
  mutating func noteStale(_ path: RelativePath) { stale.insert(path) }

  /// What is known of the file is of now.
  mutating func noteCurrent(_ path: RelativePath) { stale.remove(path) }

  func isStale(_ path: RelativePath) -> Bool { stale.contains(path) }

  /// A scan found the file new, changed or missing.
  mutating func noteScanned(_ path: RelativePath) {
    guard entries[path, default: Entry()].place == .nowhere else { return }
    entries[path, default: Entry()].place = .backlog
    backlog.append(path)
  }

  /// Has the file looked at then, or earlier if something happens to it.
  mutating func look(at path: RelativePath, when due: Int64) {
    let entry = entries[path, default: Entry()]
    guard entry.place == .nowhere, due < entry.due ?? .max else { return }
    entries[path, default: Entry()].due = due
    waiting.insert(path, due: due)
  }

  /// Has a file of which nothing could be found out looked at again, the later the more often that happens.
  mutating func lookAfterFailure(at path: RelativePath, now: Int64) {
    entries[path, default: Entry()].backoff.failed()
    look(at: path, when: now + entries[path, default: Entry()].backoff.pause.inNanoseconds)
  }

  /// Something was found out.
  mutating func noteSuccess(_ path: RelativePath) {
    entries[path]?.backoff.succeeded()
  }

  /// What is known of the file's writer.
  func evidence(of path: RelativePath) -> WriterEvidence { entries[path]?.evidence ?? .none }

  /// The file was found to have no writer any more, whatever the events have told.
  mutating func noteWriterless(_ path: RelativePath, now: Int64) {
    if entries[path]?.evidence == .modified { entries[path]?.evidence = .closed(at: now) }
  }

  private mutating func queue(_ path: RelativePath) {
    guard entries[path, default: Entry()].place != .urgent else { return }
    // One that stands in the backlog is put in front as well, and its second turn is skipped.
    entries[path, default: Entry()].place = .urgent
    urgent.append(path)
  }

  // MARK: What to do

  /// The next file to look at, or nil where none is due.
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

  /// When `next` will have something, or nil.
  ///
  /// It may name a time at which there is nothing to do any more, until `next` was asked.
  var nextDue: Int64? {
    if !urgent.isEmpty || !backlog.isEmpty { return .min }
    return waiting.first?.due
  }

  /// Whether nothing is left of what scans found.
  var hasBacklog: Bool { !backlog.isEmpty }

  /// The file is gone for good: nothing is known of it any more.
  mutating func forget(_ path: RelativePath) {
    guard entries[path]?.place == .nowhere else { return }
    entries[path] = nil
  }

  /// What was looked at a while ago and is wanted no more needs no entry.
  private mutating func forgetIdle(now: Int64) {
    guard entries.count > 2 * waiting.count + 256 else { return }
    entries = entries.filter { path, entry in
      entry.place != .nowhere || entry.due != nil || entry.evidence.isWanted(at: now)
        || now - (entry.lastLook ?? .min / 2) < LibraryLimits.lookIntervalNanoseconds
    }
  }
}

extension WriterEvidence {
  /// Whether another look may still ask for it.
  fileprivate func isWanted(at now: Int64) -> Bool {
    switch self {
    case .modified: true
    case .closed(let time): now - time < LibraryLimits.silentNanoseconds
    case .none, .created, .moved: false
    }
  }
}
