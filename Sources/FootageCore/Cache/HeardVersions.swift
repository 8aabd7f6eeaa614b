/// The versions of cached recordings that robots have reported to have, or to have no longer.
struct HeardVersions: Sendable {
  private var current: [RecordingKey: RecordingVersion] = [:]
  /// The versions that a robot no longer has, according to its answers. They are kept only while it is unknown which
  /// version replaced them.
  private var replaced: [RecordingKey: Set<RecordingVersion>] = [:]

  /// Returns the version that the robot reported to have; nil if it has not reported one.
  func version(of key: RecordingKey) -> RecordingVersion? { current[key] }

  /// Returns true if the robot has this version, and false if it no longer has it; nil if neither is known.
  func isTheirs(_ version: RecordingVersion, _ key: RecordingKey) -> Bool? {
    if let current = current[key] { return current == version }
    return replaced[key]?.contains(version) == true ? false : nil
  }

  mutating func robotHas(_ version: RecordingVersion, _ key: RecordingKey) {
    current[key] = version
    replaced[key] = nil
  }

  mutating func robotReplaced(_ version: RecordingVersion, _ key: RecordingKey) {
    guard current[key] == nil || current[key] == version else { return }
    current[key] = nil
    replaced[key, default: []].insert(version)
  }

  /// Returns the version of a recording that is played when no robot can be asked. If any version is complete, only
  /// complete versions are considered. The robot's own version comes first among them, and otherwise the one that was
  /// used last.
  func preferred(_ key: RecordingKey, in store: CacheStore) -> Int64? {
    let ids = store.ids(of: key)
    let complete = ids.filter { store.records[$0]?.isComplete == true }
    let best = complete.isEmpty ? ids : complete
    return best.first { store.records[$0]?.version == version(of: key) } ?? best.first
  }

  /// Returns true if a cached version is outdated: the robot has a different one, or the robot's version is unknown and
  /// the cache has a newer one.
  func isOutdated(_ id: Int64, in store: CacheStore) -> Bool {
    guard let record = store.records[id] else { return false }
    if let isTheirs = isTheirs(record.version, record.key) { return !isTheirs }
    return store.records.contains { $0.key > id && $0.value.key == record.key }
  }
}
