/// When which file is to be looked at, and what to make of what was found: no input or output, and no clock.

/// All times are nanoseconds: `now` of a clock that never goes back, `wall` and `modified` since 1970.
struct LookSchedule {
  private enum Place { case nowhere, backlog, urgent }

  private struct Entry {
    /// Nil: nothing to do.
    var due: Int64?
    var place = Place.nowhere
    var lastLook: Int64?
    /// Whether somebody wrote to it and has not closed it since.
    var isBeingWritten = false
  }

  private var entries: [RelativePath: Entry] = [:]
  /// To be looked at now, because something has just happened to them.
  private var urgent = Queue()
  /// To be looked at when nothing else is: what a scan found.
  private var backlog = Queue()
  /// The paths whose `due` lies in the future.
  private var waiting: Set<RelativePath> = []

  // MARK: What happened

  /// A writer has closed the file, or it was moved here whole: nothing is worth waiting for.
  mutating func noteFinished(_ path: RelativePath) {
    entries[path, default: Entry()].isBeingWritten = false
    queue(path)
  }

  /// The file was written to. Many of these cost one look a second.
  mutating func noteModified(_ path: RelativePath, now: Int64) {
    entries[path, default: Entry()].isBeingWritten = true
    noteTouched(path, now: now)
  }

  /// Something else happened to the file: a link to it was made here, its mode changed.
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
    entries[path, default: Entry()].isBeingWritten = false
    queue(path)
  }

  /// Somebody needs to know more of the file than is known.
  mutating func noteDemanded(_ path: RelativePath) { queue(path) }

  /// A scan found the file new, changed or missing.
  mutating func noteScanned(_ path: RelativePath) {
    guard entries[path, default: Entry()].place == .nowhere else { return }
    entries[path, default: Entry()].place = .backlog
    backlog.append(path)
  }

  /// Has the file looked at then, or earlier if something happens to it.
  mutating func look(at path: RelativePath, when due: Int64) {
    let entry = entries[path, default: Entry()]
    guard entry.place == .nowhere else { return }
    entries[path, default: Entry()].due = min(entry.due ?? due, due)
    waiting.insert(path)
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
    if !waiting.isEmpty {
      for path in waiting where entries[path]?.due ?? .min <= now {
        waiting.remove(path)
        queue(path)
      }
    }
    while let path = urgent.popFirst() ?? backlog.popFirst() {
      guard let place = entries[path]?.place, place != .nowhere else { continue }
      waiting.remove(path)
      entries[path]?.place = .nowhere
      entries[path]?.due = nil
      entries[path]?.lastLook = now
      return path
    }
    forgetIdle(now: now)
    return nil
  }

  /// When `next` will have something, or nil.
  var nextDue: Int64? {
    if !urgent.isEmpty || !backlog.isEmpty { return .min }
    return waiting.compactMap { entries[$0]?.due }.min()
  }

  /// The file is gone for good: nothing is known of it any more.
  mutating func forget(_ path: RelativePath) {
    guard entries[path]?.place == .nowhere else { return }
    entries[path] = nil
    waiting.remove(path)
  }

  /// What was looked at a while ago and is wanted no more needs no entry.
  private mutating func forgetIdle(now: Int64) {
    guard entries.count > 2 * waiting.count + 256 else { return }
    entries = entries.filter { path, entry in
      entry.place != .nowhere || entry.due != nil || entry.isBeingWritten
        || now - (entry.lastLook ?? .min / 2) < LibraryLimits.lookIntervalNanoseconds
    }
  }

  // MARK: What to make of it

  enum Verdict: Equatable {
    /// It is what its structure says.
    case settled
    /// Somebody is at work on it; it is looked at again at this time.
    case recording(lookAgain: Int64)
  }

  /// Whether a file may still become another by itself: one that is cut short while its last write is recent, and any
  /// while its writer has it open. A modification time in the future counts as old: it cannot tell when the recorder
  /// stopped.
  ///
  /// - Parameter isWhole: whether nothing is missing at its end.
  func judge(_ path: RelativePath, isWhole: Bool, modified: Int64, wall: Int64, now: Int64) -> Verdict {
    let isBeingWritten = entries[path]?.isBeingWritten == true
    guard let age = Self.freshAge(modified: modified, wall: wall), !isWhole || isBeingWritten else { return .settled }
    return .recording(lookAgain: now + LibraryLimits.quietNanoseconds - age)
  }

  /// Whether the file need not be opened: somebody is writing to it just now, so that it is being recorded whatever
  /// is in it. Nil where it has to be, else when to look again.
  func lookAgainAtBusy(_ path: RelativePath, modified: Int64, wall: Int64, now: Int64) -> Int64? {
    guard entries[path]?.isBeingWritten == true, let age = Self.freshAge(modified: modified, wall: wall) else {
      return nil
    }
    return now + LibraryLimits.quietNanoseconds - age
  }

  /// How long ago the last write was, or nil where that is long, or lies in the future.
  private static func freshAge(modified: Int64, wall: Int64) -> Int64? {
    let (age, overflow) = wall.subtractingReportingOverflow(modified)
    return !overflow && (0..<LibraryLimits.quietNanoseconds).contains(age) ? age : nil
  }
}

extension LookSchedule {
  /// First in, first out.
  private struct Queue {
    private var elements: [RelativePath] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }

    mutating func append(_ path: RelativePath) { elements.append(path) }

    mutating func popFirst() -> RelativePath? {
      guard first < elements.count else { return nil }
      defer {
        first += 1
        if first == elements.count {
          elements.removeAll(keepingCapacity: first < 4_096)
          first = 0
        }
      }
      return elements[first]
    }
  }
}
