internal import FootageAPI

/// Whose manifest is wanted, in which order. Knows no files and no threads.
struct ManifestQueue {
  /// A version of a recording under one name: copies of one version have a manifest each, for it tells the name.
  struct Key: Hashable {
    /// Without quotes.
    let tag: String
    let name: ExactName

    init(tag: String, name: String) {
      self.tag = tag
      self.name = ExactName(name)
    }

    init?(_ recording: Recording) {
      guard let tag = recording.content?.tag else { return nil }
      self.init(tag: tag, name: recording.name)
    }
  }

  private struct Entry {
    let name: String
    var urgency: ManifestUrgency
    /// Who asked for it first; nil for nobody in particular.
    let asker: Int?
    /// Of those that are as urgent the one of the lowest round comes first: each asker has one in a round.
    var round: UInt64
    /// Of two of a round the one that was wanted first comes first.
    let serial: UInt64
    /// Not before then, on the clock that never goes back, in nanoseconds.
    var notBefore: Int64 = .min
    /// How often it was tried.
    var attempts = 0
  }

  /// What one asker wants.
  private struct Share {
    var count = 0
    /// Of the last one that it asked for.
    var round: UInt64
  }

  private var entries: [Key: Entry] = [:]
  private var shares: [Int: Share] = [:]
  private var serial: UInt64 = 0
  /// Of the one that was handed out last.
  private var round: UInt64 = 0
  /// Why one could not be made, until it may be tried again.
  private var failures: [Key: (error: LibraryError, until: Int64)] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Notes that one is wanted; one that was wanted already becomes as urgent as this.
  ///
  /// - Parameter asker: tells those apart between whom turns go round; nil for nobody in particular.
  /// - Returns: false where as many are wanted as may be, by all or by this asker.
  mutating func want(_ key: Key, name: String, _ urgency: ManifestUrgency, by asker: Int? = nil) -> Bool {
    let share = asker.flatMap { shares[$0] }
    let next = max(round, share.map { $0.round + 1 } ?? round)
    if let known = entries[key] {
      entries[key]?.urgency = max(known.urgency, urgency)
      // Nobody waits for another one's turn.
      entries[key]?.round = min(known.round, next)
      return true
    }
    guard urgency == .offload || entries.count < LibraryLimits.wantedManifests,
      share?.count ?? 0 < LibraryLimits.wantedManifestsOfViewer
    else { return false }
    serial += 1
    entries[key] = Entry(name: name, urgency: urgency, asker: asker, round: next, serial: serial)
    if let asker { shares[asker] = Share(count: (share?.count ?? 0) + 1, round: next) }
    return true
  }

  /// It is wanted no more.
  private mutating func remove(_ key: Key) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    round = max(round, entry.round)
    guard let asker = entry.asker, let share = shares[asker] else { return }
    shares[asker] = share.count > 1 ? Share(count: share.count - 1, round: share.round) : nil
  }

  /// Why it could not be made, as long as that is not to be tried again.
  mutating func failure(of key: Key, now: Int64) -> LibraryError? {
    guard let failure = failures[key] else { return nil }
    if failure.until > now { return failure.error }
    failures[key] = nil
    return nil
  }

  /// The one to be made next, which stays wanted until one of the functions below says what came of it.
  func next(now: Int64) -> (key: Key, name: String)? {
    entries.filter { $0.value.notBefore <= now }
      .min { one, other in
        let (first, second) = (one.value, other.value)
        return (second.urgency, first.round, first.serial) < (first.urgency, second.round, second.serial)
      }
      .map { ($0.key, $0.value.name) }
  }

  mutating func noteMade(_ key: Key) {
    remove(key)
    failures[key] = nil
  }

  /// It could not be made just now.
  ///
  /// - Returns: whether it is tried again by itself; else whoever wants it has to ask anew.
  mutating func notePostponed(_ key: Key, _ error: LibraryError, now: Int64) -> Bool {
    guard var entry = entries[key], entry.attempts < LibraryLimits.manifestAttempts else {
      noteFailed(key, error, now: now)
      return false
    }
    entry.attempts += 1
    entry.notBefore = now + LibraryLimits.manifestPauseNanoseconds
    entries[key] = entry
    return true
  }

  mutating func noteFailed(_ key: Key, _ error: LibraryError, now: Int64) {
    remove(key)
    if failures.count >= LibraryLimits.wantedManifests { failures = failures.filter { $0.value.until > now } }
    guard failures.count < LibraryLimits.wantedManifests else { return }
    failures[key] = (error, now + LibraryLimits.retryNanoseconds)
  }
}

/// How soon a manifest is wanted.
package enum ManifestUrgency: Int, Comparable, Sendable {
  /// Whenever there is nothing else to do.
  case background
  /// Somebody asks for it and waits.
  case viewer
  /// Without it nothing can be brought to a store.
  case offload

  package static func < (one: ManifestUrgency, other: ManifestUrgency) -> Bool { one.rawValue < other.rawValue }
}
