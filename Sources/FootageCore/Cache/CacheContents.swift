internal import FootageBase
internal import FootageSystem

/// The contents of a cache. It opens versions, reserves room for them to grow, and decides which versions are removed.
/// It also claims bytes, which means that the index records them as durable.
///
/// Only the `MediaCache` that owns it calls it. A call may block that cache's thread.
final class CacheContents {
  private let folder: CacheFolder
  private(set) var open = OpenVersions()
  /// The open versions to remove once they have no more readers, because a complete version has replaced them.
  private var superseded: Set<Int64> = []
  /// The versions that robots have reported since this cache was opened.
  private var heard = HeardVersions()
  /// The size that the folder may have, in bytes.
  private(set) var quota: UInt64
  private let limits: MediaCacheLimits
  private let clock: Clock
  private let disk: CacheDisk
  let syncer: CacheDisk
  private let onWarning: @Sendable (String) -> Void

  /// - Throws: `.folder` if the system has no threads left.
  init(
    of folder: CacheFolder, quota: UInt64, limits: MediaCacheLimits, clock: Clock,
    onWarning: @escaping @Sendable (String) -> Void
  ) throws(MediaCacheError) {
    self.folder = folder
    self.quota = quota
    self.limits = limits
    self.clock = clock
    self.onWarning = onWarning
    do throws(SystemError) {
      disk = try CacheDisk(threadName: "cache-disk")
      syncer = try CacheDisk(threadName: "cache-sync")
    } catch { throw .folder(FileFailure(error)) }
  }

  var store: CacheStore? { folder.store }
  /// The reason why the folder could not be written at the last attempt; nil if all is well.
  var writingProblem: MediaCacheError? { folder.writingProblem }

  /// Takes over the folder again if it was deleted, or if it could not be written and no version is open.
  func renew() {
    if folder.renew(isInUse: !open.isEmpty) { forgetOpen() }
  }

  /// Stops the folder from being taken over again.
  ///
  /// - Returns: the open versions.
  func beginClosing() -> [CachedVersion] {
    folder.beginClosing()
    return open.all
  }

  /// Releases the folder permanently.
  func close() {
    for id in open.ids { store?.renewManifest(id) }
    forgetOpen()
    folder.close()
  }

  private func forgetOpen() {
    open.removeAll()
    superseded = []
  }

  // MARK: Opening versions

  /// Opens a version that the robot has. If the version cannot be kept, it is played without being cached.
  ///
  /// - Parameter keeper: the cache, which claims the version's bytes.
  func served(
    _ key: RecordingKey, _ version: RecordingVersion, from source: any RangeSource, keeper: any VersionStore
  ) -> CachedVersion {
    renew()
    robotHas(version, key)
    if store?.id(of: key, version) == nil { makeWritable(for: key) }
    do throws(MediaCacheError) { return try opened(key, version, from: source, keeper: keeper) } catch {
      onWarning("\(error); \(key) plays, but is not cached")
      return unplaced(key, version, from: source, error.failure, keeper: keeper)
    }
  }

  /// Opens the version that is played when no robot can be asked.
  ///
  /// - Parameter source: the source of missing bytes; nil if there is none.
  /// - Throws: `.notCached`.
  func cached(
    _ key: RecordingKey, from source: (any RangeSource)?, keeper: any VersionStore
  ) throws(MediaCacheError) -> CachedVersion {
    renew()
    guard let store, let id = preferred(key, in: store), let record = store.records[id] else { throw .notCached(key) }
    return try opened(key, record.version, from: source, keeper: keeper)
  }

  private func opened(
    _ key: RecordingKey, _ version: RecordingVersion, from source: (any RangeSource)?, keeper: any VersionStore
  ) throws(MediaCacheError) -> CachedVersion {
    let store = try folder.readable()
    // An empty recording has nothing to keep, and must not obstruct a later version with the same name.
    guard version.length > 0 else {
      return unplaced(key, version, from: source ?? OfflineSource(), "it is empty", keeper: keeper)
    }
    let id: Int64
    let file: any CacheFile
    if let known = store.id(of: key, version) {
      if let running = open[known], running.key == key, running.version == version {
        running.hold(source: source)
        try? store.touch(known)
        return running
      }
      id = known
      do throws(StorageError) { file = try store.open(known) } catch {
        // The bytes went with the file that was removed: start over.
        guard source != nil, error.reason == .system(.notFound) else { throw .folder(FileFailure(error)) }
        try folder.perform { () throws(CacheStoreProblem) in try store.remove([known]) }
        return try opened(key, version, from: source, keeper: keeper)
      }
      try? store.touch(known)
    } else {
      (id, file) = try folder.perform { () throws(CacheStoreProblem) in
        do throws(CacheStoreProblem) { return try store.add(key, version) } catch {
          guard error.isFull, giveUp(limits.reservationBytes) else { throw error }
          return try store.add(key, version)
        }
      }
    }
    let opening = CachedVersion(
      key, version, place: CachedVersion.Place(id: id, file: file), problem: store.problem?.error(folder.path).failure,
      fragments: store.records[id]?.fragments ?? [], source: source ?? OfflineSource(), store: keeper, disk: disk,
      syncer: syncer, limits: limits, clock: clock)
    opening.hold()
    open.insert(opening, id)
    return opening
  }

  /// Opens a version that is played without being cached.
  private func unplaced(
    _ key: RecordingKey, _ version: RecordingVersion, from source: any RangeSource, _ problem: FileFailure,
    keeper: any VersionStore
  ) -> CachedVersion {
    let opening = CachedVersion(
      key, version, place: nil, problem: problem, fragments: [], source: source, store: keeper, disk: disk,
      syncer: syncer, limits: limits, clock: clock)
    opening.hold()
    return opening
  }

  /// Removes one unused version if the disk is too full to open the index, so that this recording can be kept.
  private func makeWritable(for key: RecordingKey) {
    guard let store, let problem = store.problem, problem.isFull, store.isOwned, open.isEmpty else { return }
    let next = unused(in: store).filter { store.records[$0.id]?.key != key }
    guard let last = EvictionPlan.inTurn(next).first, (try? store.remove([last.id])) != nil else { return }
    renew()
  }

  // MARK: Which version

  /// Returns the version that is played when no robot can be asked. It depends on the robot's own version, if that is
  /// known.
  func preferred(_ key: RecordingKey, in store: CacheStore) -> Int64? { heard.preferred(key, in: store) }

  /// Returns the key of a recording in this cache. A robot with several pins has several names. The key then contains
  /// the name under which the recording is cached.
  ///
  /// - Parameter robots: the names that may stand for the robot, starting with the one for new recordings.
  func key(of name: String, on robots: [String]) -> RecordingKey {
    let keys = robots.map { RecordingKey(robot: $0, name: name) }
    let cached = keys.first { !(store?.ids(of: $0).isEmpty ?? true) }
    return cached ?? keys.first ?? RecordingKey(robot: "", name: name)
  }

  /// Records that the robot has a version. If that version is complete in the cache, it supersedes the other versions
  /// of the recording.
  func robotHas(_ version: RecordingVersion, _ key: RecordingKey) {
    heard.robotHas(version, key)
    if let store, let id = store.id(of: key, version), store.records[id]?.isComplete == true {
      supersede(key, by: id, in: store)
    }
  }

  enum Opening: Hashable, Sendable {
    /// No version of the recording is cached.
    case new
    /// The cached version is the one that the robot has, unless the robot has changed it without a report.
    case cached
    /// The recording is cached, but the robot is known to have a different version of it.
    case replaced
  }

  /// Returns how a recording is to be opened.
  func opening(of key: RecordingKey) -> Opening {
    renew()
    guard let store, let id = preferred(key, in: store), let version = store.records[id]?.version else { return .new }
    // The open version may have learned that the robot replaced it, which is not recorded here yet.
    if let running = open[id], running.wasReplaced { heard.robotReplaced(version, key) }
    return heard.isTheirs(version, key) ?? true ? .cached : .replaced
  }

  /// Returns the robot's latest description of a version, as JSON; nil if it is unknown.
  func item(of key: RecordingKey, _ version: RecordingVersion) -> String? {
    store?.id(of: key, version).flatMap { store?.records[$0]?.item }
  }

  /// Records the robot's description of a version.
  func note(_ item: String, of key: RecordingKey, _ version: RecordingVersion) {
    guard let store, let id = store.id(of: key, version) else { return }
    // If this fails, the version merely lacks its description.
    try? store.note(item, id)
  }

  /// Removes all versions of a recording except `id`, which is complete. A version that is being read is removed when
  /// its last reader closes. If a removed version was protected from eviction, `id` is protected from now on.
  private func supersede(_ key: RecordingKey, by id: Int64, in store: CacheStore) {
    let others = store.ids(of: key).filter { $0 != id }
    guard store.problem == nil, !others.isEmpty else { return }
    if others.contains(where: { store.records[$0]?.isKept == true }), store.records[id]?.isKept == false {
      // This has to be written before the old version may go. If it cannot be written, the old version stays.
      guard (try? store.keep(true, id, durably: true)) != nil else { return }
    }
    superseded.remove(id)
    for other in others {
      // A version that cannot be removed now is removed at a later opening.
      if open[other] == nil { try? store.remove([other]) } else { superseded.insert(other) }
    }
  }

  // MARK: Requests by people

  /// - Parameter isKept: true if the versions are never removed to make room for others.
  func keep(_ isKept: Bool, _ ids: [Int64], in store: CacheStore) throws(MediaCacheError) {
    for id in ids {
      try MediaCacheError.index { () throws(SQLiteError) in try store.keep(isKept, id) }
      if isKept { superseded.remove(id) }
    }
  }

  /// Removes versions. A version that is being played continues to play.
  func remove(_ ids: [Int64], from store: CacheStore) throws(MediaCacheError) {
    for id in ids {
      open.remove(id)
      superseded.remove(id)
    }
    try folder.perform { () throws(CacheStoreProblem) in try store.remove(ids) }
    // There may be room for the index again.
    if store.problem != nil, open.isEmpty { renew() }
  }

  /// Gives up bytes that differ from those that were received. They are no longer claimed, and are fetched again when
  /// they are needed.
  func setAside(_ range: Range<UInt64>, of id: Int64, in store: CacheStore) throws(SQLiteError) {
    // The claims go first, because dropped bytes are written over.
    let unclaimed = try store.unclaim(range, of: id)
    for range in unclaimed + [range] { open[id]?.drop(range) }
  }

  // MARK: For open versions

  /// Claims bytes of an open version that have been synced to the disk.
  func commit(_ received: [ReceivedRange], to version: CachedVersion) -> Claim {
    guard let store, let id = version.place?.id, open[id] === version else { return .failed(Self.gone) }
    // On this thread, no claim can be taken back between this check and the new claim.
    let standing = version.standing(received)
    var refused = received.filter { !standing.contains($0) }
    do throws(SQLiteError) {
      guard let outcome = try claim(standing, id, in: store) else { return .failed(Self.gone) }
      refused += outcome
    } catch { return .failed(FileFailure(error)) }
    let bytes = standing.reduce(UInt64(0)) { $0 + ($1.fragment.range.upperBound - $1.claimedEnd) }
    open.fill(bytes, of: id)
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

  /// Withdraws claims.
  ///
  /// - Returns: the ranges that are no longer claimed; nil if the index could not be written, so that the claims
  ///   remain.
  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) -> [Range<UInt64>]? {
    guard let store, let id = version.place?.id, open[id] === version else { return [range] }
    return try? store.unclaim(range, of: id)
  }

  /// Reserves room for an open version to grow. If necessary, unused versions are removed for it: outdated ones first,
  /// then those that were unused for longest.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) -> Reservation {
    guard let store, let id = version.place?.id, open[id] === version else { return .refused(Self.gone) }
    // If there is room, no candidates for removal are needed.
    let candidates = quota - min(quota, usedBytes) < max(bytes, needed) ? unused(in: store) : []
    var plan = EvictionPlan(quota: quota, used: usedBytes, candidates: candidates)
    guard let granted = plan.room(bytes, atLeast: needed) else {
      return .refused(
        FileFailure(.noRoom, "the cache's quota of \(quota) bytes is used up by recordings that are kept or playing"))
    }
    if !plan.evicted.isEmpty {
      do throws(CacheStoreProblem) { try store.remove(plan.evicted) } catch {
        return .refused(error.error(folder.path).failure)
      }
    }
    open.reserve(granted, for: id)
    return .granted(granted)
  }

  /// Returns the versions that may be removed: those that are neither open nor kept.
  func unused(in store: CacheStore) -> [EvictionPlan.Candidate] {
    store.records.filter { open[$0.key] == nil && !$0.value.isKept }.map { id, record in
      EvictionPlan.Candidate(
        id: id, isOutdated: heard.isOutdated(id, in: store), lastUse: record.lastUse, bytes: store.heldBytes(of: id))
    }
  }

  /// Removes unused versions in the order of eviction, because the disk is full before the quota is reached.
  ///
  /// - Parameter bytes: the number of bytes that are needed.
  /// - Returns: true if anything was removed.
  func giveUp(_ bytes: UInt64) -> Bool {
    guard let store else { return false }
    var freed: UInt64 = 0
    for candidate in EvictionPlan.inTurn(unused(in: store)) {
      guard freed < bytes, (try? store.remove([candidate.id])) != nil else { break }
      freed = freed.addingClamped(max(1, candidate.bytes))
    }
    if freed > 0 {
      onWarning("the disk of the cache \(folder.path) is full: \(freed) bytes of unused recordings were removed")
    }
    return freed > 0
  }

  /// Sets the size that the folder may have from now on. If the folder holds more, unused versions are removed in the
  /// order of eviction.
  func setQuota(_ bytes: UInt64) throws(MediaCacheError) {
    quota = bytes
    guard let store, store.problem == nil, usedBytes > quota else { return }
    var going: [Int64] = []
    var used = usedBytes
    for candidate in EvictionPlan.inTurn(unused(in: store)) where used > quota {
      used -= min(used, candidate.bytes)
      going.append(candidate.id)
    }
    try remove(going, from: store)
  }

  /// The number of bytes that are on disk, or for which room is reserved.
  var usedBytes: UInt64 {
    (store?.heldBytes ?? 0).addingClamped(open.reservedBytes)
  }

  /// Closes a version that is no longer held.
  ///
  /// - Returns: false if the version is held again in the meantime.
  func retire(_ version: CachedVersion) -> Bool {
    guard !version.isHeld else { return false }
    guard let store, let id = version.place?.id, open[id] === version else { return true }
    open.remove(id)
    if version.wasReplaced { heard.robotReplaced(version.version, version.key) }
    let isEmpty = store.records[id]?.fragments.isEmpty ?? false
    if isEmpty || superseded.remove(id) != nil { try? store.remove([id]) } else { store.renewManifest(id) }
    return true
  }
}
