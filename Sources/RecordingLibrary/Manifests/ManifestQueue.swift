/// Whose manifest is wanted, in which order. Knows no files and no threads.
struct ManifestQueue {
  /// A version of a recording under one name: copies of one version have a manifest each, for it tells the name.
  struct Key: Hashable {
    /// Without quotes.
    let tag: String
    let name: NameKey

    init(tag: String, name: String) {
      self.tag = tag
      self.name = NameKey(name)
    }

    init?(_ recording: Recording) {
      guard let tag = recording.content?.tag else { return nil }
      self.init(tag: tag, name: recording.name)
    }
  }

  private struct Entry {
    let name: String
    var urgency: ManifestUrgency
    /// Of two that are as urgent the one that was wanted first comes first.
    let serial: UInt64
    /// Not before then, on the clock that never goes back, in nanoseconds.
    var notBefore: Int64 = .min
    /// How often it was tried.
    var attempts = 0
  }

  private var entries: [Key: Entry] = [:]
  private var serial: UInt64 = 0
  /// Why one could not be made, until it may be tried again.
  private var failures: [Key: (error: LibraryError, until: Int64)] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Notes that one is wanted; one that was wanted already becomes as urgent as this.
  ///
  /// - Returns: false where as many are wanted as may be.
  mutating func want(_ key: Key, name: String, _ urgency: ManifestUrgency) -> Bool {
    if let known = entries[key] {
      entries[key]?.urgency = max(known.urgency, urgency)
      return true
    }
    guard urgency == .offload || entries.count < LibraryLimits.wantedManifests else { return false }
    serial += 1
    entries[key] = Entry(name: name, urgency: urgency, serial: serial)
    return true
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
      .min { ($1.value.urgency, $0.value.serial) < ($0.value.urgency, $1.value.serial) }
      .map { ($0.key, $0.value.name) }
  }

  mutating func noteMade(_ key: Key) {
    entries[key] = nil
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
    entries[key] = nil
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
