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
}
