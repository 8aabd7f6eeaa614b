internal import FootageBase
internal import FootageSystem

/// What is in a cache: opens versions of it, gives them room to grow, claims what came of them, and says which go.
///
/// Belongs to its cache, on whose thread it may block.
final class CacheContents {
  private let folder: CacheFolder
  private(set) var open = OpenVersions()
  /// The robot's own version is complete: they are removed when nobody reads them any more.
  private var superseded: Set<Int64> = []
  /// Since this cache was opened.
  private var heard = HeardVersions()
  /// In bytes.
  private(set) var quota: UInt64
  private let limits: MediaCacheLimits
  private let clock: Clock
  private let disk: CacheDisk
  let syncer: CacheDisk
  private let onWarning: @Sendable (String) -> Void

  /// - Throws: `.folder` where the system has no thread left.
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
  /// Why the folder could not be written when that was last tried; nil where all is well.
  var writingProblem: MediaCacheError? { folder.writingProblem }

  /// Takes the folder over anew where that makes sense.
  func renew() {
    if folder.renew(isInUse: !open.isEmpty) { forgetOpen() }
  }

  /// From now on the folder is not taken over anew.
  ///
  /// - Returns: what is open.
  func beginClosing() -> [CachedVersion] {
    folder.beginClosing()
    return open.all
  }

  /// Lets go of the folder, for good.
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

  /// A version that the robot has; where it cannot be kept, it plays past the cache.
  ///
  /// - Parameter keeper: where its bytes are claimed: the cache.
  func served(
    _ key: RecordingKey, _ version: RecordingVersion, from source: any RangeSource, keeper: any VersionStore
  ) -> CachedVersion {
    renew()
    robotHas(version, key)
    if store?.id(of: key, version) == nil { makeWritable(for: key) }
    do throws(MediaCacheError) { return try opened(key, version, from: source, keeper: keeper) } catch {
      onWarning("\(error); \(key) plays, and is not kept")
      return unplaced(key, version, from: source, error.failure, keeper: keeper)
    }
  }

  /// The version that plays without a robot.
  ///
  /// - Parameter source: where missing bytes may come from after all; nil for nowhere.
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
    // An empty recording has nothing to keep, and must not stand in the way of what comes under its name.
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
        // Whoever took the file away took the bytes: begin anew.
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

  /// A version that plays past the cache.
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

  /// A disk may be too full for the index to be opened at all: one that is unused goes so that this one can be kept.
  private func makeWritable(for key: RecordingKey) {
    guard let store, let problem = store.problem, problem.isFull, store.isOwned, open.isEmpty else { return }
    let next = unused(in: store).filter { store.records[$0.id]?.key != key }
    guard let last = EvictionPlan.inTurn(next).first, (try? store.remove([last.id])) != nil else { return }
    renew()
  }

  // MARK: Which version

  /// The version that plays without a robot, as far as anybody has heard what that has.
  func preferred(_ key: RecordingKey, in store: CacheStore) -> Int64? { heard.preferred(key, in: store) }

  /// What a recording goes by here: a robot that is known by several pins has the one under which it was cached.
  ///
  /// - Parameter robots: what may stand for the robot, the one for new recordings first.
  func key(of name: String, on robots: [String]) -> RecordingKey {
    let keys = robots.map { RecordingKey(robot: $0, name: name) }
    let cached = keys.first { !(store?.ids(of: $0).isEmpty ?? true) }
    return cached ?? keys.first ?? RecordingKey(robot: "", name: name)
  }

  /// The robot was heard to have a version. Where that is complete here, others have had their time.
  func robotHas(_ version: RecordingVersion, _ key: RecordingKey) {
    heard.robotHas(version, key)
    if let store, let id = store.id(of: key, version), store.records[id]?.isComplete == true {
      supersede(key, by: id, in: store)
    }
  }

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
    renew()
    guard let store, let id = preferred(key, in: store), let version = store.records[id]?.version else { return .new }
    // Nobody has taken notice yet that it plays what the robot has no more.
    if let running = open[id], running.wasReplaced { heard.robotReplaced(version, key) }
    return heard.isTheirs(version, key) ?? true ? .cached : .replaced
  }

  /// What the robot said of a version when it last did, as JSON; nil where nobody heard it.
  func item(of key: RecordingKey, _ version: RecordingVersion) -> String? {
    store?.id(of: key, version).flatMap { store?.records[$0]?.item }
  }

  /// Notes what the robot said of a version.
  func note(_ item: String, of key: RecordingKey, _ version: RecordingVersion) {
    guard let store, let id = store.id(of: key, version) else { return }
    // Without it, it is merely without a description.
    try? store.note(item, id)
  }

  /// Other versions of a recording go, at once or with their last reader, for this one is complete for good. Where one
  /// was kept, this one is from now on.
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
      if open[other] == nil { try? store.remove([other]) } else { superseded.insert(other) }
    }
  }

  // MARK: By a person's word

  /// - Parameter isKept: whether they never go to make room for others.
  func keep(_ isKept: Bool, _ ids: [Int64], in store: CacheStore) throws(MediaCacheError) {
    for id in ids {
      try MediaCacheError.index { () throws(SQLiteError) in try store.keep(isKept, id) }
      if isKept { superseded.remove(id) }
    }
  }

  /// Removes versions; who plays one plays on.
  func remove(_ ids: [Int64], from store: CacheStore) throws(MediaCacheError) {
    for id in ids {
      open.remove(id)
      superseded.remove(id)
    }
    try folder.perform { () throws(CacheStoreProblem) in try store.remove(ids) }
    // There may be room for the index again.
    if store.problem != nil, open.isEmpty { renew() }
  }

  /// Bytes are not those that were received: they are claimed no more, and fetched again when they are wanted.
  func setAside(_ range: Range<UInt64>, of id: Int64, in store: CacheStore) throws(SQLiteError) {
    // In this order: what is dropped is written over.
    let unclaimed = try store.unclaim(range, of: id)
    for range in unclaimed + [range] { open[id]?.drop(range) }
  }

  // MARK: For open versions

  /// Claims bytes of an open version, which were synced.
  func commit(_ received: [ReceivedRange], to version: CachedVersion) -> Claim {
    guard let store, let id = version.place?.id, open[id] === version else { return .failed(Self.gone) }
    // Here nothing can be taken back between this look and the claim.
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

  /// Takes back claims.
  ///
  /// - Returns: all that is no longer claimed; nil where the index could not be written, so that the claims stand.
  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) -> [Range<UInt64>]? {
    guard let store, let id = version.place?.id, open[id] === version else { return [range] }
    return try? store.unclaim(range, of: id)
  }

  /// Gives an open version room to grow, for which others may have to go: unused ones, the one first that was unused
  /// for longest.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) -> Reservation {
    guard let store, let id = version.place?.id, open[id] === version else { return .refused(Self.gone) }
    // Where there is room, nobody has to be asked who may go.
    let candidates = quota - min(quota, usedBytes) < max(bytes, needed) ? unused(in: store) : []
    var plan = EvictionPlan(quota: quota, used: usedBytes, candidates: candidates)
    guard let granted = plan.room(bytes, atLeast: needed) else {
      return .refused(
        FileFailure(.noRoom, "the cache's quota of \(quota) bytes is used up by what is kept or being played"))
    }
    if !plan.evicted.isEmpty {
      do throws(CacheStoreProblem) { try store.remove(plan.evicted) } catch {
        return .refused(error.error(folder.path).failure)
      }
    }
    open.reserve(granted, for: id)
    return .granted(granted)
  }

  /// What may go.
  func unused(in store: CacheStore) -> [EvictionPlan.Candidate] {
    store.records.filter { open[$0.key] == nil && !$0.value.isKept }.map { id, record in
      EvictionPlan.Candidate(
        id: id, isOutdated: heard.isOutdated(id, in: store), lastUse: record.lastUse, bytes: store.heldBytes(of: id))
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
    if freed > 0 { onWarning("the disk of the cache \(folder.path) is full: \(freed) bytes of what was unused went") }
    return freed > 0
  }

  /// What the folder may hold from now on; what is more than that goes in its turn, as far as it is unused.
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

  /// On disk, or about to be.
  var usedBytes: UInt64 {
    (store?.heldBytes ?? 0).addingClamped(open.reservedBytes)
  }

  /// Puts a version away that nobody holds any more.
  ///
  /// - Returns: false where somebody has taken it up again meanwhile.
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
