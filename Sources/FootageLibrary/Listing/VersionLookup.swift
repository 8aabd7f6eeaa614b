internal import FootageAPI

/// The ready recordings by version. It is a value: copying it costs nothing, and a change copies only a small part.
struct VersionLookup: Sendable {
  /// The recordings by the tag's digits, distributed over many dictionaries so that a change copies only a small one.
  private var shards = [[UInt64: Recording]](repeating: [:], count: 64)
  /// For versions that exist more than once, for example as hard links, all recordings except the first.
  private var others: [UInt64: [Recording]] = [:]

  subscript(tag: VersionTag) -> [Recording] {
    guard let key = UInt64(tag.text, radix: 16), let first = shards[Self.shard(key)][key] else { return [] }
    return [first] + (others[key] ?? [])
  }

  mutating func insert(_ recording: Recording) {
    guard let key = Self.key(recording) else { return }
    if shards[Self.shard(key)][key] == nil {
      shards[Self.shard(key)][key] = recording
    } else {
      others[key, default: []].append(recording)
    }
  }

  mutating func remove(_ recording: Recording) {
    guard let key = Self.key(recording) else { return }
    guard shards[Self.shard(key)][key] === recording else {
      others[key]?.removeAll { $0 === recording }
      if others[key]?.isEmpty == true { others[key] = nil }
      return
    }
    shards[Self.shard(key)][key] = others[key]?.popLast()
    if others[key]?.isEmpty == true { others[key] = nil }
  }

  private static func key(_ recording: Recording) -> UInt64? {
    recording.versionTag.flatMap { UInt64($0.text, radix: 16) }
  }
  private static func shard(_ key: UInt64) -> Int { Int(key % 64) }
}
