package import FootageSystem

/// A folder in which recordings are kept as they are played, completely or in parts, up to a quota.
///
/// An app has one cache, whatever the number of its robots. One process at a time writes to a folder. A second process,
/// or one that cannot write to the folder, can only list and play what the folder contains. The cache runs on separate
/// threads, since folders and the index may wait for a disk. `close` releases the folder. A process that is killed
/// instead loses about a second of the fetched bytes, and nothing else.
public actor MediaCache {
  /// The cached part of one version.
  public struct Entry: Hashable, Sendable {
    /// The key of the recording, for `playback(of:)`, `keep` and `remove`.
    public let key: RecordingKey
    /// The version. A recording that the robot has replaced has two versions until the new one is complete.
    public let version: RecordingVersion
    /// The number of bytes that are durable on disk.
    public let cachedBytes: UInt64
    /// True if all of the version is durable on disk, so that it plays without its robot.
    public let isComplete: Bool
    /// True if the version is never removed to make room for others.
    public let isKept: Bool
    /// The path of the version's file, which is a plain `.mp4` once it is complete, and a sparse file before. Read the
    /// file, but do not change it.
    public let path: String
    /// The recording as its robot listed it last; nil if it was never listed or requested.
    public let recording: RobotRecording?
    /// The robot's full description of the recording when it was last listed or requested, as JSON.
    package let itemJSON: String?

    /// - Parameters:
    ///   - key: the key of the recording.
    ///   - version: the version of the recording.
    ///   - cachedBytes: the number of bytes that are durable on disk.
    ///   - isComplete: true if all bytes are durable on disk.
    ///   - isKept: true if the version is never removed to make room for others.
    ///   - path: the path of the version's file.
    ///   - recording: the recording as its robot listed it last; nil if it was never listed.
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
  /// The contents of the folder, and the open versions. Only this actor uses them.
  let contents: CacheContents
  let limits: MediaCacheLimits
  let clock: Clock
  /// The path of the folder; empty if nothing is kept.
  let folderPath: String
  let files: any CacheFiles
  /// The last lists of the robots. Only this actor uses them.
  let lists: ListArchive
  var savingLists: Task<Void, Never>?

  private let eventSource: EventSource<Event>

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  /// Takes over a folder, and creates it if it is missing. The call blocks while the index is read, so it is not for
  /// the main thread.
  ///
  /// The folder has to be the cache's own: empty, missing, or created by a cache. Any other folder is left as it is:
  /// nothing is kept, and `folderProblem` reports what is in it. Nothing that the cache did not create is ever deleted.
  ///
  /// If the folder cannot be written (its disk is full or read-only, or another process has it), `events()` reports the
  /// reason. Then everything in the folder can be listed, played and exported. Other recordings play without being
  /// kept. The cache tries the folder again when something is opened; see `folderProblem`.
  ///
  /// - Parameters:
  ///   - folder: the path of a folder for the cache alone.
  ///   - quota: the size that the folder may have. When it is used up, whole versions are removed: outdated ones first,
  ///     then those that were unused for longest. Versions that are kept or being played count, but are never removed
  ///     for it.
  /// - Throws: `.folder` if the system has no threads left.
  public init(at folder: String, quota: StorageQuota) throws(MediaCacheError) {
    try self.init(at: folder, quota: quota.bytes)
  }

  /// - Parameters:
  ///   - quota: the size that the folder may have, in bytes.
  ///   - onWarning: receives sentences about what could not be kept, from any thread.
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

  /// Opens a folder only for reading. Nothing is changed or created by any operation, and a missing folder counts as
  /// empty. The contents can be listed, played, exported and compared with their checksums. Blocks.
  ///
  /// - Throws: `.folder` if the folder cannot be read or is not a cache's, or if the system has no threads left.
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

  /// Creates a cache that keeps nothing: everything plays straight from its robot.
  ///
  /// - Throws: `.folder` if the system has no threads left.
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

  /// Makes the received bytes durable, and releases the folder permanently. Recordings that are opened later are played
  /// without being cached. Readers that are still open continue without the cache, too.
  public func close() async {
    for version in contents.beginClosing() { await version.finishStoring() }
    saveLists()
    contents.close()
  }

  /// Returns a stream of the events in the cache. Each stream delivers the events from now on. The first one begins
  /// with the earlier events since the cache was opened that no listener has received. A stream is for one task, and
  /// does not keep this object alive.
  public nonisolated func events() -> AsyncStream<Event> { eventSource.events() }

  // MARK: Playing

  /// Opens a version that the robot has. Nothing is fetched before a reader begins to read.
  ///
  /// Older versions of the recording are removed when this one is complete.
  ///
  /// - Parameter item: the robot's description of the recording, as JSON.
  /// - Throws: `.notBindable`.
  package func playback(
    of key: RecordingKey, _ version: RecordingVersion, item: String? = nil, from source: any RangeSource
  ) throws(MediaCacheError) -> Playback {
    Playback(holding: try openServed(key, version, item: item, from: source))
  }

  /// Opens a version that the robot has, for a caller that prepares it further before it is played.
  func openServed(
    _ key: RecordingKey, _ version: RecordingVersion, item: String? = nil, from source: any RangeSource
  ) throws(MediaCacheError) -> CachedVersion {
    guard version.isBindable else { throw .notBindable(key, version) }
    let opened = contents.served(key, version, from: source, keeper: self)
    if let item { note(item, of: key, version) }
    return opened
  }

  /// Opens the cached version of a recording, without using the network: the complete version, or else the one that was
  /// used last. A read of missing bytes fails.
  ///
  /// - Throws: `.notCached`; `.folder`.
  public func playback(of key: RecordingKey) throws(MediaCacheError) -> Playback {
    try cachedPlayback(of: key, from: nil)
  }

  /// Opens the complete version, or else the one that was used last.
  ///
  /// - Parameter source: the source of missing bytes; nil if there is none.
  /// - Throws: `.notCached`.
  func cachedPlayback(
    of key: RecordingKey, from source: (any RangeSource)?
  ) throws(MediaCacheError) -> Playback {
    Playback(holding: try openCached(key, from: source))
  }

  /// Opens the cached version of a recording, for a caller that prepares it further before it is played.
  func openCached(
    _ key: RecordingKey, from source: (any RangeSource)?
  ) throws(MediaCacheError) -> CachedVersion {
    try contents.cached(key, from: source, keeper: self)
  }

  /// Returns the key of a recording in this cache. A robot with several pins has several names. The key then contains
  /// the name under which the recording is cached.
  ///
  /// - Parameter robots: the names that may stand for the robot, starting with the one for new recordings.
  func key(of name: String, on robots: [String]) -> RecordingKey { contents.key(of: name, on: robots) }

  /// Returns the keys of several recordings in this cache.
  func keys(of names: [String], on robots: [String]) -> [RecordingKey] {
    names.map { contents.key(of: $0, on: robots) }
  }

  /// Returns the keys of the recordings that are not complete in the cache; none if that cannot be determined.
  func notComplete(of keys: Set<RecordingKey>) -> Set<RecordingKey> {
    guard let store = contents.store else { return [] }
    return keys.filter { key in !store.ids(of: key).contains { store.records[$0]?.isComplete == true } }
  }

  /// Returns how a recording is to be opened.
  func opening(of key: RecordingKey) -> CacheContents.Opening { contents.opening(of: key) }

  /// Records that the robot has a version. If that version is complete in the cache, it supersedes the other versions
  /// of the recording.
  func robotHas(_ version: RecordingVersion, _ key: RecordingKey) { contents.robotHas(version, key) }

  /// Returns the robot's latest description of a version; nil if it is unknown.
  func listed(_ key: RecordingKey, _ version: RecordingVersion) -> RobotRecording? {
    contents.item(of: key, version).flatMap { RobotRecording(itemJSON: $0) }
  }

  /// Records the robot's description of a version.
  func note(_ item: String, of key: RecordingKey, _ version: RecordingVersion) {
    contents.note(item, of: key, version)
  }
}

/// The methods that open versions call on their cache.
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
