internal import FootageAPI

/// The requested manifests in their order. It uses no files or threads.
struct ManifestQueue {
  /// A version of a recording under one name. Each copy of a version has its own manifest, because a manifest contains
  /// the name.
  struct Key: Hashable {
    /// The tag without quotes.
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
    /// The client that requested the manifest first; nil for no particular one.
    let asker: Int?
    /// The round in which the manifest is made. Each client gets one manifest per round, and among equally urgent ones
    /// the lowest round comes first.
    var round: UInt64
    /// The number of the request. Within a round, the earlier request comes first.
    let serial: UInt64
    /// The earliest time for the next attempt, on the monotonic clock, in nanoseconds.
    var notBefore: Int64 = .min
    /// The number of postponed attempts.
    var attempts = 0
  }

  /// The requests of one client.
  private struct Share {
    var count = 0
    /// The round of the client's latest request.
    var round: UInt64
  }

  private var entries: [Key: Entry] = [:]
  private var shares: [Int: Share] = [:]
  private var serial: UInt64 = 0
  /// The highest round of the manifests that have left the queue.
  private var round: UInt64 = 0
  /// The reasons why manifests could not be made, with the time until which they are not attempted again.
  private var failures: [Key: (error: LibraryError, until: Int64)] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Requests a manifest. If it is already requested, its urgency is raised to `urgency` if necessary.
  ///
  /// - Parameter asker: the client, so that clients are served in turn; nil for no particular one.
  /// - Returns: false if the limit is reached for all clients together or for this one.
  mutating func want(_ key: Key, name: String, _ urgency: ManifestUrgency, by asker: Int? = nil) -> Bool {
    let share = asker.flatMap { shares[$0] }
    let next = max(round, share.map { $0.round + 1 } ?? round)
    if let known = entries[key] {
      entries[key]?.urgency = max(known.urgency, urgency)
      // A manifest that several askers request is made in the earliest of their turns.
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

  /// Removes a request.
  private mutating func remove(_ key: Key) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    round = max(round, entry.round)
    guard let asker = entry.asker, let share = shares[asker] else { return }
    shares[asker] = share.count > 1 ? Share(count: share.count - 1, round: share.round) : nil
  }

  /// Returns the reason why a manifest could not be made, until it may be attempted again.
  mutating func failure(of key: Key, now: Int64) -> LibraryError? {
    guard let failure = failures[key] else { return nil }
    if failure.until > now { return failure.error }
    failures[key] = nil
    return nil
  }

  /// Returns the manifest to make next. It stays in the queue until its result is recorded.
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

  /// Records that an attempt to make a manifest has failed for now.
  ///
  /// - Returns: true if it is attempted again automatically; otherwise it has to be requested again.
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

/// The urgency of a manifest.
package enum ManifestUrgency: Int, Comparable, Sendable {
  /// The manifest is made when no other one is requested.
  case background
  /// A client has requested it and is waiting.
  case viewer
  /// An upload to the store needs it.
  case offload

  package static func < (one: ManifestUrgency, other: ManifestUrgency) -> Bool { one.rawValue < other.rawValue }
}
