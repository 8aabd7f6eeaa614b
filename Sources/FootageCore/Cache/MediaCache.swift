internal import Formats
internal import SQLite
internal import Storage
internal import System

/// A folder in which recordings are kept as they are played: whole or in parts, up to a quota.
///
/// One for an app, whatever the number of its robots. One process at a time writes to a folder; another one, and one that
/// cannot write to it, lists and plays what is there. It runs on threads of its own, since folders and the index may wait
/// for a disk. `close` gives the folder back; a process that is killed instead loses about a second of what was fetched,
/// and nothing else.
public actor MediaCache: VersionStore {
  /// What the cache holds of one version.
  public struct Entry: Hashable, Sendable {
    /// Its recording: for `playback(of:)`, `keep` and `remove`.
    public let key: RecordingKey
    /// A recording that the robot has replaced has two until the new one is complete.
    public let version: RecordingVersion
    /// On disk for good, in bytes.
    public let cachedBytes: UInt64
    /// All of it is on disk for good: it plays without its robot.
    public let isComplete: Bool
    /// It never goes to make room for others.
    public let isKept: Bool
    /// Of its file: a plain `.mp4` once it is complete, a sparse one before. To be read, not to be changed.
    public let path: String
    /// The recording as its robot listed it last; nil where it was never listed or asked about.
    public let recording: RobotRecording?
    /// All that the robot said of it then, as JSON.
    package let itemJSON: String?
  }

  private let queue: WorkQueue
  private let disk: CacheDisk
  let syncer: CacheDisk
  let folder: String
  private let files: any CacheFiles
  let limits: MediaCacheLimits
  private let clock: CacheClock
  private let onWarning: @Sendable (String) -> Void
  /// In bytes; versions that are kept count, and are never removed for it.
  public let quota: UInt64

  /// Nil where the folder cannot even be read just now: everything plays from its robot, nothing is kept.
  var store: CacheStore?
  var problem: MediaCacheError?
  var opened: [Int64: CachedVersion] = [:]
  /// The robot's own version is complete: they are removed when nobody reads them any more.
  var superseded: Set<Int64> = []
  /// Since this cache was opened.
  private var heard = HeardVersions()
  private var isClosed: Bool
  /// Room that open versions were given and have not filled with durable bytes yet, in bytes.
  var reserved: [Int64: UInt64] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  /// Takes a folder over, which is made where it is missing. Blocks for as long as the index takes to read: not for the
  /// main thread.
  ///
  /// Where the folder cannot be written (its disk is full or read-only, or another process has it), `tell` hears why. Then
  /// what is there can be listed, played and exported, what is not there plays without being kept, and it is tried again
  /// when something is opened; see `folderProblem`.
  ///
  /// - Parameters:
  ///   - folder: the cache's alone.
  ///   - quota: what the folder may hold. Where it is used up, whole versions go, the one first that was unused for longest;
  ///     those that are kept or being played count, and are never removed for it.
  ///   - onWarning: told in a sentence what could not be kept, from any thread.
  /// - Throws: `.folder` where the system has no thread left.
  public init(
    at folder: String, quota: StorageQuota, onWarning: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(MediaCacheError) {
    try self.init(at: folder, quota: quota.bytes, onWarning: onWarning)
  }

  /// - Parameter quota: in bytes.
  package init(
    at folder: String, quota: UInt64, files: any CacheFiles = SystemCacheFiles(), limits: MediaCacheLimits = .init(),
    clock: CacheClock = .system, onWarning: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(MediaCacheError) {
    var store: CacheStore?
    var problem: MediaCacheError?
    do throws(MediaCacheError) {
      let opened = try CacheStore.open(folder, files: files, onWarning: onWarning)
      if let problem = opened.problem?.error(folder) {
        onWarning("\(problem); what is there plays, and nothing more is kept")
      }
      store = opened
    } catch {
      problem = error
      onWarning("\(error); recordings play, and nothing is kept")
    }
    try self.init(folder, quota, files, limits, clock, onWarning, store, problem)
  }

  /// Keeps nothing: everything plays straight from its robot.
  ///
  /// - Throws: `.folder` where the system has no thread left.
  init(passingThrough limits: MediaCacheLimits) throws(MediaCacheError) {
    try self.init(
      "", 0, SystemCacheFiles(), limits, .system, { _ in }, nil, .folder("there is none"), isClosed: true)
  }

  private init(
    _ folder: String, _ quota: UInt64, _ files: any CacheFiles, _ limits: MediaCacheLimits, _ clock: CacheClock,
    _ onWarning: @escaping @Sendable (String) -> Void, _ store: CacheStore?, _ problem: MediaCacheError?,
    isClosed: Bool = false
  ) throws(MediaCacheError) {
    self.folder = folder
    self.quota = quota
    self.files = files
    self.limits = limits
    self.clock = clock
    self.onWarning = onWarning
    self.store = store
    self.problem = problem
    self.isClosed = isClosed
    (queue, disk, syncer) = try MediaCacheError.files { () throws(StorageError) in
      do throws(SystemError) {
        return (
          try WorkQueue(name: "cache"), try CacheDisk(threadName: "cache-disk"), try CacheDisk(threadName: "cache-sync")
        )
      } catch { throw StorageError(error) }
    }
  }

  // MARK: Playing

  /// Opens a version that the robot has, and begins to fetch nothing before somebody reads.
  ///
  /// Older versions of the recording go when this one is complete.
  ///
  /// - Parameter item: what the robot said of the recording, as JSON.
  /// - Throws: `.notBindable`.
  package func playback(
    of key: RecordingKey, _ version: RecordingVersion, item: String? = nil, from source: any RangeSource
  ) throws(MediaCacheError) -> Playback {
    Playback(holding: try openServed(key, version, item: item, from: source))
  }

  /// The same, for who has more to do with the version before it is played.
  func openServed(
    _ key: RecordingKey, _ version: RecordingVersion, item: String? = nil, from source: any RangeSource
  ) throws(MediaCacheError) -> CachedVersion {
    guard version.isBindable else { throw .notBindable(key, version) }
    renewShelf()
    robotHas(version, key)
    if store?.id(of: key, version) == nil { makeWritable(for: key) }
    let held: CachedVersion
    do throws(MediaCacheError) {
      held = try open(key, version, from: source)
    } catch {
      onWarning("\(error); \(key) plays, and is not kept")
      held = unplaced(key, version, from: source, error.failure)
    }
    if let item { note(item, of: key, version) }
    return held
  }

  /// Opens what the cache has of a recording, with no network at all: the version that is complete, else the one that was
  /// used last. What is missing fails when it is read.
  ///
  /// - Throws: `.notCached`; `.folder`.
  public func playback(of key: RecordingKey) throws(MediaCacheError) -> Playback {
    try cachedPlayback(of: key, from: nil)
  }

  /// Opens the version that is complete, else the one that was used last.
  ///
  /// - Parameter source: where missing bytes may come from after all; nil for nowhere.
  /// - Throws: `.notCached`.
  func cachedPlayback(
    of key: RecordingKey, from source: (any RangeSource)?
  ) throws(MediaCacheError) -> Playback {
    Playback(holding: try openCached(key, from: source))
  }

  /// The same, for who has more to do with the version before it is played.
  func openCached(
    _ key: RecordingKey, from source: (any RangeSource)?
  ) throws(MediaCacheError) -> CachedVersion {
    renewShelf()
    guard let store, let id = preferred(key, in: store), let record = store.records[id] else { throw .notCached(key) }
    return try open(key, record.version, from: source)
  }

  /// The version that plays without a robot: a complete one, and the robot's own before others, else what was used last.
  func preferred(_ key: RecordingKey, in store: CacheStore) -> Int64? {
    let ids = store.ids(of: key)
    let complete = ids.filter { store.records[$0]?.isComplete == true }
    let best = complete.isEmpty ? ids : complete
    return best.first { store.records[$0]?.version == heard.version(of: key) } ?? best.first
  }

  /// What a recording goes by here: a robot that is known by several pins has the one under which it was cached.
  ///
  /// - Parameter robots: what may stand for the robot, the one for new recordings first.
  func key(of name: String, on robots: [String]) -> RecordingKey {
    let keys = robots.map { RecordingKey(robot: $0, name: name) }
    let cached = keys.first { !(store?.ids(of: $0).isEmpty ?? true) }
    return cached ?? keys.first ?? RecordingKey(robot: "", name: name)
  }

  private func open(
    _ key: RecordingKey, _ version: RecordingVersion, from source: (any RangeSource)?
  ) throws(MediaCacheError) -> CachedVersion {
    guard let store else {
      throw problem ?? .folder("\(folder) is not there")
    }
    // An empty recording has nothing to keep, and must not stand in the way of what comes under its name.
    guard version.length > 0 else { return unplaced(key, version, from: source ?? OfflineSource(), "it is empty") }
    let id: Int64
    let file: any CacheFile
    if let known = store.id(of: key, version) {
      if let running = opened[known], running.key == key, running.version == version {
        running.hold(source: source)
        try? store.touch(known)
        return running
      }
      id = known
      do throws(StorageError) { file = try store.open(known) } catch {
        // Whoever took the file away took the bytes: begin anew.
        guard source != nil, error.reason == .system(.notFound) else { throw .folder(FileFailure(error)) }
        try perform { () throws(CacheStoreProblem) in try store.remove([known]) }
        return try open(key, version, from: source)
      }
      try? store.touch(known)
    } else {
      (id, file) = try perform { () throws(CacheStoreProblem) in
        do throws(CacheStoreProblem) { return try store.add(key, version) } catch {
          guard error.isFull, giveUp(limits.reservationBytes) else { throw error }
          return try store.add(key, version)
        }
      }
    }
    let opening = CachedVersion(
      key, version, place: CachedVersion.Place(id: id, file: file), problem: store.problem?.error(folder).failure,
      fragments: store.records[id]?.fragments ?? [], source: source ?? OfflineSource(), store: self, disk: disk,
      syncer: syncer, limits: limits, clock: clock)
    opening.hold()
    opened[id] = opening
    return opening
  }

  /// A version that plays past the cache.
  private func unplaced(
    _ key: RecordingKey, _ version: RecordingVersion, from source: any RangeSource, _ problem: FileFailure
  ) -> CachedVersion {
    let opening = CachedVersion(
      key, version, place: nil, problem: problem, fragments: [], source: source, store: self, disk: disk,
      syncer: syncer, limits: limits, clock: clock)
    opening.hold()
    return opening
  }

  func perform<Result>(
    _ body: () throws(CacheStoreProblem) -> Result
  ) throws(MediaCacheError) -> Result {
    do throws(CacheStoreProblem) { return try body() } catch { throw error.error(folder) }
  }

  // MARK: Versions

  /// The robot was heard to have a version. Where that is complete here, others have had their time.
  func robotHas(_ version: RecordingVersion, _ key: RecordingKey) {
    heard.robotHas(version, key)
    if let store, let id = store.id(of: key, version), store.records[id]?.isComplete == true {
      supersede(key, by: id, in: store)
    }
  }

  /// The robot was heard not to have a version any more.
  func robotReplaced(_ version: RecordingVersion, _ key: RecordingKey) { heard.robotReplaced(version, key) }

  enum Opening: Hashable, Sendable {
    /// Nothing is here.
    case new
    /// What is here is what the robot has, as far as anybody has heard.
    case cached
    /// The robot was heard to have another version than the one that could be played without it.
    case replaced
  }

  /// How a recording is to be opened.
  func opening(of key: RecordingKey) -> Opening {
    renewShelf()
    guard let store, let id = preferred(key, in: store), let version = store.records[id]?.version else { return .new }
    // Nobody has taken notice yet that it plays what the robot has no more.
    if let running = opened[id], running.wasReplaced { robotReplaced(version, key) }
    return heard.isTheirs(version, key) ?? true ? .cached : .replaced
  }

  /// Notes what the robot said of a version.
  func note(_ item: String, of key: RecordingKey, _ version: RecordingVersion) {
    guard let store, let id = store.id(of: key, version) else { return }
    // Without it, it is merely without a description.
    try? store.note(item, id)
  }

  /// Another version is what the robot has, as far as is known.
  private func isOutdated(_ id: Int64, in store: CacheStore) -> Bool {
    guard let record = store.records[id] else { return false }
    if let isTheirs = heard.isTheirs(record.version, record.key) { return !isTheirs }
    return store.records.contains { $0.key > id && $0.value.key == record.key }
  }

  /// Other versions of a recording go, at once or with their last reader, for this one is complete for good. Where one was
  /// kept, this one is from now on.
  private func supersede(_ key: RecordingKey, by id: Int64, in store: CacheStore) {
    let others = store.ids(of: key).filter { $0 != id }
    guard store.problem == nil, !others.isEmpty else { return }
    if others.contains(where: { store.records[$0]?.isKept == true }), store.records[id]?.isKept == false {
      // Before the old one may go. Where that cannot be written, it stays.
      guard (try? store.keep(true, id, durably: true)) != nil else { return }
    }
    superseded.remove(id)
    for other in others {
      // What cannot be removed now is removed at a later opening.
      if opened[other] == nil { try? store.remove([other]) } else { superseded.insert(other) }
    }
  }

  /// Where the folder was deleted under us, or could not be written before, it is taken over anew.
  func renewShelf() {
    if isClosed { return }
    if let store, store.problem == nil, store.isIntact { return }
    if let store, store.problem != nil, !opened.isEmpty {
      // Whoever plays goes on with what it has.
      try? store.reload()
      return
    }
    if store?.problem == nil, store != nil {
      onWarning("the cache folder \(folder) was deleted or replaced: it is made anew")
    }
    // What is open goes on with its files, which have no names any more, and is never claimed.
    let former = store
    store = nil
    forgetOpened()
    do throws(MediaCacheError) {
      store = try CacheStore.open(folder, files: files, after: former, onWarning: onWarning)
      problem = nil
    } catch {
      problem = error
    }
  }

  /// A disk may be too full for the index to be opened at all: one that is unused goes so that this one can be kept.
  private func makeWritable(for key: RecordingKey) {
    guard let store, let problem = store.problem, problem.isFull, store.isOwned, opened.isEmpty else { return }
    let next = unused(in: store).filter { store.records[$0.id]?.key != key }
    guard let last = EvictionPlan.inTurn(next).first, (try? store.remove([last.id])) != nil else { return }
    renewShelf()
  }

  private func forgetOpened() {
    opened = [:]
    reserved = [:]
    superseded = []
  }

  /// Makes durable what was received, and lets go of the folder, for good: what is opened later plays past the cache. Who
  /// still reads goes on past the cache, too.
  public func close() async {
    isClosed = true
    for version in Array(opened.values) { await version.finishStoring() }
    for id in opened.keys { store?.renewManifest(id) }
    forgetOpened()
    store = nil
    problem = .folder("the cache in \(folder) was closed")
  }

  // MARK: For open versions

  func commit(_ received: [ReceivedRange], to version: CachedVersion) -> Claim {
    guard let store, let id = version.place?.id, opened[id] === version else { return .failed(Self.gone) }
    // Here nothing can be taken back between this look and the claim.
    let standing = version.standing(received)
    var refused = received.filter { !standing.contains($0) }
    do throws(SQLiteError) {
      guard let outcome = try claim(standing, id, in: store) else { return .failed(Self.gone) }
      refused += outcome
    } catch { return .failed(FileFailure(error)) }
    let bytes = standing.reduce(UInt64(0)) { $0 + ($1.fragment.range.upperBound - $1.claimedEnd) }
    if let room = reserved[id] { reserved[id] = room - min(room, bytes) }
    if let record = store.records[id], record.isComplete,
      heard.version(of: record.key) ?? record.version == record.version
    {
      supersede(record.key, by: id, in: store)
    }
    return .done(refused: refused)
  }

  private func claim(
    _ received: [ReceivedRange], _ id: Int64, in store: CacheStore
  ) throws(SQLiteError) -> [ReceivedRange]? {
    do throws(SQLiteError) { return try store.commit(received, to: id, joining: limits.fragmentBytes) } catch {
      guard CacheStoreProblem.index(error).isFull, giveUp(limits.reservationBytes) else { throw error }
      return try store.commit(received, to: id, joining: limits.fragmentBytes)
    }
  }

  private static let gone: FileFailure = "it was removed from the cache"

  /// Takes back claims.
  ///
  /// - Returns: all that is no longer claimed; nil where the index could not be written, so that the claims stand.
  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) -> [Range<UInt64>]? {
    guard let store, let id = version.place?.id, opened[id] === version else { return [range] }
    return try? store.unclaim(range, of: id)
  }

  /// Gives an open version room to grow, for which others may have to go: unused ones, the one first that was unused
  /// for longest.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) -> Reservation {
    guard let store, let id = version.place?.id, opened[id] === version else { return .refused(Self.gone) }
    // Where there is room, nobody has to be asked who may go.
    let candidates = quota - min(quota, usedBytes) < max(bytes, needed) ? unused(in: store) : []
    var plan = EvictionPlan(quota: quota, used: usedBytes, candidates: candidates)
    guard let granted = plan.room(bytes, atLeast: needed) else {
      return .refused(
        FileFailure(.noRoom, "the cache's quota of \(quota) bytes is used up by what is kept or being played"))
    }
    if !plan.evicted.isEmpty {
      do throws(CacheStoreProblem) { try store.remove(plan.evicted) } catch {
        return .refused(error.error(folder).failure)
      }
    }
    reserved[id, default: 0] += granted
    return .granted(granted)
  }

  /// What may go.
  private func unused(in store: CacheStore) -> [EvictionPlan.Candidate] {
    store.records.filter { opened[$0.key] == nil && !$0.value.isKept }.map { id, record in
      EvictionPlan.Candidate(
        id: id, isOutdated: isOutdated(id, in: store), lastUse: record.lastUse, bytes: record.claimed.byteCount)
    }
  }

  /// The disk is full before the quota is: what is unused goes, in its turn.
  ///
  /// - Parameter bytes: that are needed.
  /// - Returns: whether anything has gone.
  func giveUp(_ bytes: UInt64) -> Bool {
    guard let store else { return false }
    var freed: UInt64 = 0
    for candidate in EvictionPlan.inTurn(unused(in: store)) {
      guard freed < bytes, (try? store.remove([candidate.id])) != nil else { break }
      freed = freed.addingClamped(max(1, candidate.bytes))
    }
    if freed > 0 { onWarning("the disk of the cache \(folder) is full: \(freed) bytes of what was unused went") }
    return freed > 0
  }

  /// On disk, or about to be.
  private var usedBytes: UInt64 {
    let claimed = store?.claimedBytes ?? 0
    return reserved.values.reduce(claimed) { $0.addingClamped($1) }
  }

  /// Puts a version away that nobody holds any more.
  ///
  /// - Returns: false where somebody has taken it up again meanwhile.
  func retire(_ version: CachedVersion) -> Bool {
    guard !version.isHeld else { return false }
    guard let store, let id = version.place?.id, opened[id] === version else { return true }
    opened[id] = nil
    reserved[id] = nil
    if version.wasReplaced { robotReplaced(version.version, version.key) }
    let isEmpty = store.records[id]?.fragments.isEmpty ?? false
    if isEmpty || superseded.remove(id) != nil { try? store.remove([id]) } else { store.renewManifest(id) }
    return true
  }
}
