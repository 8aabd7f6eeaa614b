package import FootageSystem

/// A folder in which recordings are kept as they are played: whole or in parts, up to a quota.
///
/// One for an app, whatever the number of its robots. One process at a time writes to a folder; another one, and one
/// that cannot write to it, lists and plays what is there. It runs on threads of its own, since folders and the index
/// may wait for a disk. `close` gives the folder back; a process that is killed instead loses about a second of what
/// was fetched, and nothing else.
public actor MediaCache {
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

    /// - Parameters:
    ///   - key: of its recording.
    ///   - version: which of its versions.
    ///   - cachedBytes: on disk for good, in bytes.
    ///   - isComplete: whether all of it is.
    ///   - isKept: whether it never goes to make room for others.
    ///   - path: of its file.
    ///   - recording: as its robot listed it last; nil where it never did.
    public init(
      key: RecordingKey, version: RecordingVersion, cachedBytes: UInt64, isComplete: Bool, isKept: Bool, path: String,
      recording: RobotRecording?
    ) {
      self.init(
        key: key, version: version, cachedBytes: cachedBytes, isComplete: isComplete, isKept: isKept, path: path,
        recording: recording, itemJSON: nil)
    }

    init(
      key: RecordingKey, version: RecordingVersion, cachedBytes: UInt64, isComplete: Bool, isKept: Bool, path: String,
      recording: RobotRecording?, itemJSON: String?
    ) {
      self.key = key
      self.version = version
      self.cachedBytes = cachedBytes
      self.isComplete = isComplete
      self.isKept = isKept
      self.path = path
      self.recording = recording
      self.itemJSON = itemJSON
    }
  }

  private let queue: WorkQueue
  /// What is in the folder, and what of it is open. This actor's alone.
  let contents: CacheContents
  let limits: MediaCacheLimits
  let clock: Clock
  /// Empty where nothing is kept.
  let folderPath: String
  let files: any CacheFiles
  /// What robots listed last. This actor's alone.
  let lists: ListArchive
  var savingLists: Task<Void, Never>?

  private let eventSource: EventSource<Event>

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  /// Takes a folder over, which is made where it is missing. Blocks for as long as the index takes to read: not for the
  /// main thread.
  ///
  /// The folder has to be the cache's own: empty, not there yet, or one that a cache has made. Another one is left as it
  /// is: nothing is kept, and `folderProblem` says what is in it. Nothing that the cache did not make is ever deleted.
  ///
  /// Where the folder cannot be written (its disk is full or read-only, or another process has it), `events()` say why.
  /// Then what is there can be listed, played and exported, what is not there plays without being kept, and it is tried
  /// again when something is opened; see `folderProblem`.
  ///
  /// - Parameters:
  ///   - folder: the cache's alone.
  ///   - quota: what the folder may hold. Where it is used up, whole versions go, the one first that was unused for
  ///     longest; those that are kept or being played count, and are never removed for it.
  /// - Throws: `.folder` where the system has no thread left.
  public init(at folder: String, quota: StorageQuota) throws(MediaCacheError) {
    try self.init(at: folder, quota: quota.bytes)
  }

  /// - Parameters:
  ///   - quota: in bytes.
  ///   - onWarning: told in a sentence what could not be kept, from any thread.
  package init(
    at folder: String, quota: UInt64, files: any CacheFiles = SystemCacheFiles(), limits: MediaCacheLimits = .init(),
    clock: Clock = .system, onWarning: (@Sendable (String) -> Void)? = nil
  ) throws(MediaCacheError) {
    let events = EventSource<Event>()
    if let onWarning { events.onEvent { if case .warning(let words) = $0 { onWarning(words) } } }
    let onWarning: @Sendable (String) -> Void = { events.send(.warning($0)) }
    eventSource = events
    queue = try Self.startQueue()
    contents = try CacheContents(
      of: CacheFolder(folder, files: files, onWarning: onWarning, onEvent: { events.send($0) }), quota: quota,
      limits: limits, clock: clock,
      onWarning: onWarning)
    folderPath = folder
    self.files = files
    lists = ListArchive(in: folder, files: files)
    self.limits = limits
    self.clock = clock
  }

  /// Opens a folder to look into it alone: nothing is changed or made, whatever is asked for, and a folder that is not
  /// there has nothing in it. What is in it can be listed, played, exported and compared with its checksums. Blocks.
  ///
  /// - Throws: `.folder` where the folder cannot be read or is no cache's, or the system has no thread left.
  package init(reading folder: String, files: any CacheFiles = SystemCacheFiles()) throws(MediaCacheError) {
    eventSource = EventSource()
    queue = try Self.startQueue()
    let opened = CacheFolder(reading: folder, files: files)
    _ = try opened.readable()
    contents = try CacheContents(of: opened, quota: 0, limits: MediaCacheLimits(), clock: .system) { _ in }
    folderPath = folder
    self.files = files
    lists = ListArchive(in: folder, files: files)
    limits = MediaCacheLimits()
    clock = .system
  }

  /// Keeps nothing: everything plays straight from its robot.
  ///
  /// - Throws: `.folder` where the system has no thread left.
  init(passingThrough limits: MediaCacheLimits) throws(MediaCacheError) {
    eventSource = EventSource()
    queue = try Self.startQueue()
    contents = try CacheContents(of: CacheFolder(), quota: 0, limits: limits, clock: .system) { _ in }
    folderPath = ""
    files = SystemCacheFiles()
    lists = ListArchive(in: "", files: files)
    self.limits = limits
    clock = .system
  }

  private static func startQueue() throws(MediaCacheError) -> WorkQueue {
    do throws(SystemError) { return try WorkQueue(name: "cache") } catch { throw .folder(FileFailure(error)) }
  }

  /// Makes durable what was received, and lets go of the folder, for good: what is opened later plays past the cache.
  /// Who still reads goes on past the cache, too.
  public func close() async {
    for version in contents.beginClosing() { await version.finishStoring() }
    saveLists()
    contents.close()
  }

  /// What becomes of what is kept. Each stream has what happens from now on; the first one has, before that, what nobody
  /// has heard since the cache was opened. It is for one task, and does not keep this object alive.
  public nonisolated func events() -> AsyncStream<Event> { eventSource.events() }

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

  /// The same, for a caller that has more to do with the version before it is played.
  func openServed(
    _ key: RecordingKey, _ version: RecordingVersion, item: String? = nil, from source: any RangeSource
  ) throws(MediaCacheError) -> CachedVersion {
    guard version.isBindable else { throw .notBindable(key, version) }
    let opened = contents.served(key, version, from: source, keeper: self)
    if let item { note(item, of: key, version) }
    return opened
  }

  /// Opens what the cache has of a recording, with no network at all: the version that is complete, else the one that
  /// was used last. What is missing fails when it is read.
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

  /// The same, for a caller that has more to do with the version before it is played.
  func openCached(
    _ key: RecordingKey, from source: (any RangeSource)?
  ) throws(MediaCacheError) -> CachedVersion {
    try contents.cached(key, from: source, keeper: self)
  }

  /// What a recording goes by here: a robot that is known by several pins has the one under which it was cached.
  ///
  /// - Parameter robots: what may stand for the robot, the one for new recordings first.
  func key(of name: String, on robots: [String]) -> RecordingKey { contents.key(of: name, on: robots) }

  /// The same, of several.
  func keys(of names: [String], on robots: [String]) -> [RecordingKey] {
    names.map { contents.key(of: $0, on: robots) }
  }

  /// Those of them that are not all here; none where that cannot be told.
  func notComplete(of keys: Set<RecordingKey>) -> Set<RecordingKey> {
    guard let store = contents.store else { return [] }
    return keys.filter { key in !store.ids(of: key).contains { store.records[$0]?.isComplete == true } }
  }

  /// How a recording is to be opened.
  func opening(of key: RecordingKey) -> CacheContents.Opening { contents.opening(of: key) }

  /// The robot was heard to have a version. Where that is complete here, others have had their time.
  func robotHas(_ version: RecordingVersion, _ key: RecordingKey) { contents.robotHas(version, key) }

  /// What the robot said of a version when it last did; nil where nobody heard it.
  func listed(_ key: RecordingKey, _ version: RecordingVersion) -> RobotRecording? {
    contents.item(of: key, version).flatMap { RobotRecording(itemJSON: $0) }
  }

  /// Notes what the robot said of a version.
  func note(_ item: String, of key: RecordingKey, _ version: RecordingVersion) {
    contents.note(item, of: key, version)
  }
}

/// What open versions ask for, on this actor's thread.
extension MediaCache: VersionStore {
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) -> Reservation {
    contents.reserve(bytes, atLeast: needed, for: version)
  }

  func giveUp(_ bytes: UInt64) -> Bool { contents.giveUp(bytes) }

  func commit(_ received: [ReceivedRange], to version: CachedVersion) -> Claim {
    contents.commit(received, to: version)
  }

  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) -> [Range<UInt64>]? {
    contents.unclaim(range, of: version)
  }

  func retire(_ version: CachedVersion) -> Bool { contents.retire(version) }

  func keepIndex(_ bytes: [UInt8], of version: CachedVersion) -> Bool { contents.keepIndex(bytes, of: version) }

  func openIndex(of version: CachedVersion) -> (any CacheFile)? { contents.openIndex(of: version) }

  func removeIndex(of version: CachedVersion) { contents.removeIndex(of: version) }

  func item(of version: CachedVersion) -> RobotRecording? { listed(version.key, version.version) }
}
