/// What robots were heard to have of what is cached.
struct HeardVersions: Sendable {
  private var current: [RecordingKey: RecordingVersion] = [:]
  /// Versions that robots were heard not to have any more, without a word of what they have instead.
  private var replaced: [RecordingKey: Set<RecordingVersion>] = [:]

  /// What the robot has; nil where it did not say.
  func version(of key: RecordingKey) -> RecordingVersion? { current[key] }

  /// Whether a version is what the robot has; nil where nobody has heard of it.
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

  /// The version of a recording that plays without a robot: a complete one, and the robot's own before others, else
  /// what was used last.
  func preferred(_ key: RecordingKey, in store: CacheStore) -> Int64? {
    let ids = store.ids(of: key)
    let complete = ids.filter { store.records[$0]?.isComplete == true }
    let best = complete.isEmpty ? ids : complete
    return best.first { store.records[$0]?.version == version(of: key) } ?? best.first
  }

  /// Whether another version is what the robot has, as far as is known.
  func isOutdated(_ id: Int64, in store: CacheStore) -> Bool {
    guard let record = store.records[id] else { return false }
    if let isTheirs = isTheirs(record.version, record.key) { return !isTheirs }
    return store.records.contains { $0.key > id && $0.value.key == record.key }
  }
}
