/// The versions of cached recordings that robots were heard to have, or not to have any more.
struct HeardVersions: Sendable {
  private var current: [RecordingKey: RecordingVersion] = [:]
  /// The versions that robots were heard not to have any more, without a report of what they have instead.
  private var replaced: [RecordingKey: Set<RecordingVersion>] = [:]

  /// Returns the version that the robot has; nil if the robot did not report it.
  func version(of key: RecordingKey) -> RecordingVersion? { current[key] }

  /// Returns true if the robot has this version, and false if it has not; nil if that is unknown.
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

  /// Returns the version of a recording that plays without a robot. Complete versions come before others. Among these,
  /// the robot's own version comes first, and then the one that was used last.
  func preferred(_ key: RecordingKey, in store: CacheStore) -> Int64? {
    let ids = store.ids(of: key)
    let complete = ids.filter { store.records[$0]?.isComplete == true }
    let best = complete.isEmpty ? ids : complete
    return best.first { store.records[$0]?.version == version(of: key) } ?? best.first
  }

  /// Returns true if the robot has a different version, as far as is known.
  func isOutdated(_ id: Int64, in store: CacheStore) -> Bool {
    guard let record = store.records[id] else { return false }
    if let isTheirs = isTheirs(record.version, record.key) { return !isTheirs }
    return store.records.contains { $0.key > id && $0.value.key == record.key }
  }
}
