/// The cache of a folder: keeps what was fetched of recordings, lends it to readers, and makes room.

internal import SQLite
internal import Storage

/// A folder in which recordings are kept as they are played: whole or in parts, up to a quota.
///
/// One for an app, whatever the number of its robots. One process at a time has a folder. It runs on threads of its own,
/// since folders and the index may wait for a disk. `close` gives the folder back; a process that is killed instead loses
/// about a second of what was fetched, and nothing else.
public actor MediaCache {
  /// What the cache holds of one version.
  public struct Entry: Hashable, Sendable {
    /// Its recording: for `playback(of:)`, `keep` and `remove`.
    public let key: RecordingKey
    /// A recording that the robot has replaced may have two, for as long as the old one is played or kept.
    public let version: RecordingVersion
    /// On disk for good, in bytes.
    public let cachedBytes: UInt64
    /// All of it is on disk for good: it plays without its robot.
    public let isComplete: Bool
    /// It never goes to make room for others.
    public let isKept: Bool
    /// Of its file: a plain `.mp4` once it is complete, a sparse one before. To be read, not to be changed.
    public let path: String
  }

  enum Reservation: Hashable, Sendable {
    /// At least what was needed, in bytes.
    case granted(UInt64)
    case refused(String)
  }

  private let queue: WorkQueue
  private let disk: CacheDisk
  let syncer: CacheDisk
  private let folder: String
  private let files: any CacheFiles
  private let limits: MediaCacheLimits
  private let clock: CacheClock
  private let tell: @Sendable (String) -> Void
  /// In bytes; versions that are kept count, and are never removed for it.
  public let quota: UInt64

  /// Nil where the folder cannot be used just now: everything plays, nothing is kept.
  var shelf: CacheShelf?
  var problem: MediaCacheError?
  var opened: [Int64: CachedVersion] = [:]
  /// Other bytes go by their names now: they are removed when nobody reads them any more.
  var superseded: Set<Int64> = []
  private var isClosed: Bool
  /// Room that open versions were given and have not filled with durable bytes yet, in bytes.
  var reserved: [Int64: UInt64] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  /// Takes a folder over, which is made where it is missing. Blocks for as long as the index takes to read: not for the
  /// main thread.
  ///
  /// Where the folder cannot be used, `tell` hears why, and everything plays without being kept; see `folderProblem`.
  ///
  /// - Parameters:
  ///   - folder: the cache's alone.
  ///   - quota: what the folder may hold. Where it is used up, whole versions go, the one first that was unused for longest;
  ///     those that are kept or being played count, and are never removed for it.
  ///   - tell: told in a sentence what could not be kept, from any thread.
  /// - Throws: `.owned` where another process has it; `.folder` where the system has no thread left.
  public init(
    at folder: String, quota: StorageQuota, tell: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(MediaCacheError) {
    try self.init(at: folder, quota: quota.bytes, tell: tell)
  }

  /// - Parameter quota: in bytes.
  package init(
    at folder: String, quota: UInt64, files: any CacheFiles = SystemCacheFiles(), limits: MediaCacheLimits = .init(),
    clock: CacheClock = .system, tell: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(MediaCacheError) {
    var shelf: CacheShelf?
    var problem: MediaCacheError?
    do throws(MediaCacheError) {
      shelf = try CacheShelf(folder: folder, files: files, tell: tell)
    } catch {
      if case .owned = error { throw error }
      problem = error
      tell("\(error); recordings play, and nothing is kept")
    }
    try self.init(folder, quota, files, limits, clock, tell, shelf, problem)
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
    _ tell: @escaping @Sendable (String) -> Void, _ shelf: CacheShelf?, _ problem: MediaCacheError?,
    isClosed: Bool = false
  ) throws(MediaCacheError) {
    self.folder = folder
    self.quota = quota
    self.files = files
    self.limits = limits
    self.clock = clock
    self.tell = tell
    self.shelf = shelf
    self.problem = problem
    self.isClosed = isClosed
    (queue, disk, syncer) = try MediaCacheError.files { () throws(StorageError) in
      (
        try WorkQueue(name: "cache"), try CacheDisk(threadName: "cache-disk"), try CacheDisk(threadName: "cache-sync")
      )
    }
  }

  // MARK: Playing

  /// Opens a version that the robot has, and begins to fetch nothing before somebody reads.
  ///
  /// Older versions of the recording go as soon as nobody reads them, unless they are kept.
  ///
  /// - Throws: `.notBindable`; `.owned` where another process took the folder after it had gone.
  package func playback(
    of key: RecordingKey, _ version: RecordingVersion, from source: any FragmentSource
  ) throws(MediaCacheError) -> Playback {
    guard version.isBindable else { throw .notBindable(key, version) }
    try renewShelf()
    let held: CachedVersion
    do throws(MediaCacheError) {
      held = try open(key, version, from: source)
    } catch {
      tell("\(error); \(key) plays, and is not kept")
      held = unplaced(key, version, from: source, error.description)
    }
    supersede(key, by: version)
    return Playback(holding: held)
  }

  /// Opens what the cache has of a recording, with no network at all: the version that was used last. What is missing fails
  /// when it is read.
  ///
  /// - Throws: `.notCached`; `.owned` where another process took the folder after it had gone; `.folder`.
  public func playback(of key: RecordingKey) throws(MediaCacheError) -> Playback {
    try cachedPlayback(of: key, from: nil)
  }

  /// Opens the version that was used last.
  ///
  /// - Parameter source: where missing bytes may come from after all; nil for nowhere.
  /// - Throws: `.notCached`.
  func cachedPlayback(
    of key: RecordingKey, from source: (any FragmentSource)?
  ) throws(MediaCacheError) -> Playback {
    try renewShelf()
    guard let shelf, let id = shelf.ids(of: key).first, let record = shelf.records[id] else { throw .notCached(key) }
    return Playback(holding: try open(key, record.version, from: source))
  }

  /// What a recording goes by here: a robot that is known by several pins has the one under which it was cached.
  ///
  /// - Parameter robots: what may stand for the robot, the one for new recordings first.
  func key(of name: String, on robots: [String]) -> RecordingKey {
    let keys = robots.map { RecordingKey(robot: $0, name: name) }
    let cached = keys.first { !(shelf?.ids(of: $0).isEmpty ?? true) }
    return cached ?? keys.first ?? RecordingKey(robot: "", name: name)
  }

  private func open(
    _ key: RecordingKey, _ version: RecordingVersion, from source: (any FragmentSource)?
  ) throws(MediaCacheError) -> CachedVersion {
    guard let shelf else {
      throw problem ?? .folder("\(folder) is not there")
    }
    // An empty recording has nothing to keep, and must not stand in the way of what comes under its name.
    guard version.length > 0 else { return unplaced(key, version, from: source ?? OfflineSource(), "it is empty") }
    let id: Int64
    let file: any CacheFile
    if let known = shelf.id(of: key, version) {
      if let running = opened[known] {
        running.hold(source: source)
        try? shelf.touch(known)
        return running
      }
      id = known
      do throws(StorageError) { file = try shelf.open(known) } catch {
        // Whoever took the file away took the bytes: begin anew.
        guard source != nil, error.reason == .system(.notFound) else { throw .folder(error.description) }
        try shelf.remove([known])
        return try open(key, version, from: source)
      }
      try? shelf.touch(known)
    } else {
      (id, file) = try shelf.add(key, version)
    }
    let opening = CachedVersion(
      key, version, place: CachedVersion.Place(id: id, file: file), problem: nil,
      durable: shelf.records[id]?.claimed ?? RangeSet(), source: source ?? OfflineSource(), cache: self, disk: disk,
      syncer: syncer, limits: limits, clock: clock)
    opening.hold()
    opened[id] = opening
    return opening
  }

  /// A version that plays past the cache.
  private func unplaced(
    _ key: RecordingKey, _ version: RecordingVersion, from source: any FragmentSource, _ problem: String
  ) -> CachedVersion {
    let opening = CachedVersion(
      key, version, place: nil, problem: problem, durable: RangeSet(), source: source, cache: self, disk: disk,
      syncer: syncer, limits: limits, clock: clock)
    opening.hold()
    return opening
  }

  /// Other versions of the recording go: at once, or with their last reader.
  private func supersede(_ key: RecordingKey, by version: RecordingVersion) {
    guard let shelf else { return }
    for id in shelf.ids(of: key) {
      guard let record = shelf.records[id], record.version != version, !record.isKept else {
        superseded.remove(id)
        continue
      }
      // What cannot be removed now is removed at a later opening.
      if opened[id] == nil { try? shelf.remove([id]) } else { superseded.insert(id) }
    }
  }

  /// Where the folder was deleted under us, or could not be used before, it is taken over anew.
  private func renewShelf() throws(MediaCacheError) {
    if isClosed { return }
    if let shelf, shelf.isIntact { return }
    if shelf != nil { tell("the cache folder \(folder) was deleted or replaced: it is made anew") }
    // What is open goes on with its files, which have no names any more, and is never claimed.
    shelf = nil
    forgetOpened()
    do throws(MediaCacheError) {
      shelf = try CacheShelf(folder: folder, files: files, tell: tell)
      problem = nil
    } catch {
      if case .owned = error { throw error }
      problem = error
    }
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
    forgetOpened()
    shelf = nil
    problem = .folder("the cache in \(folder) was closed")
  }

  // MARK: For open versions

  /// Claims bytes that were synced.
  ///
  /// - Returns: why it was not done.
  func commit(_ fragments: [Fragment], to version: CachedVersion) -> String? {
    guard let shelf, let id = version.place?.id, opened[id] === version else { return Self.gone }
    do throws(SQLiteError) {
      guard try shelf.commit(fragments, to: id) else { return Self.gone }
    } catch { return error.description }
    let bytes = fragments.reduce(UInt64(0)) { $0 + ($1.range.upperBound - $1.range.lowerBound) }
    if let room = reserved[id] { reserved[id] = room - min(room, bytes) }
    return nil
  }

  private static let gone = "it was removed from the cache"

  /// Takes back claims.
  ///
  /// - Returns: all that is no longer claimed; nil where the index could not be written, so that the claims stand.
  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) -> [Range<UInt64>]? {
    guard let shelf, let id = version.place?.id, opened[id] === version else { return [range] }
    return try? shelf.unclaim(range, of: id)
  }

  /// Gives an open version room to grow, for which others may have to go: unused ones, the one first that was unused
  /// for longest.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) -> Reservation {
    guard let shelf, let id = version.place?.id, opened[id] === version else { return .refused(Self.gone) }
    let unused = shelf.records.filter { opened[$0.key] == nil && !$0.value.isKept }
    var plan = EvictionPlan(
      quota: quota, used: usedBytes,
      candidates: unused.map { ($0.key, $0.value.lastUse, $0.value.claimed.byteCount) })
    guard let granted = plan.room(bytes, atLeast: needed) else {
      return .refused("the cache's quota of \(quota) bytes is used up by what is kept or being played")
    }
    if !plan.evicted.isEmpty {
      do throws(MediaCacheError) { try shelf.remove(plan.evicted) } catch { return .refused(error.description) }
    }
    reserved[id, default: 0] += granted
    return .granted(granted)
  }

  /// On disk, or about to be.
  private var usedBytes: UInt64 {
    let claimed = shelf?.records.values.reduce(UInt64(0)) { $0.addingClamped($1.claimed.byteCount) } ?? 0
    return reserved.values.reduce(claimed) { $0.addingClamped($1) }
  }

  /// Puts a version away that nobody holds any more.
  ///
  /// - Returns: false where somebody has taken it up again meanwhile.
  func retire(_ version: CachedVersion) -> Bool {
    guard !version.isHeld else { return false }
    guard let shelf, let id = version.place?.id, opened[id] === version else { return true }
    opened[id] = nil
    reserved[id] = nil
    let isEmpty = shelf.records[id]?.fragments.isEmpty ?? false
    if isEmpty || superseded.remove(id) != nil { try? shelf.remove([id]) }
    return true
  }
}
