internal import FootageAPI

/// The ready recordings by the keys of their films. It is a value: copying it costs nothing, and a change copies only a
/// small part.
struct FilmLookup: Sendable {
  /// The recordings, distributed over many dictionaries so that a change copies only a small one.
  private var shards = [[FilmKey: Recording]](repeating: [:], count: 64)

  subscript(key: FilmKey) -> Recording? { shards[Self.shard(key)][key] }

  mutating func insert(_ recording: Recording) {
    guard let key = recording.filmKey else { return }
    shards[Self.shard(key)][key] = recording
  }

  mutating func remove(_ recording: Recording) {
    guard let key = recording.filmKey else { return }
    let shard = Self.shard(key)
    // Another recording may have taken the name, and so the key.
    if shards[shard][key] === recording { shards[shard][key] = nil }
  }

  private static func shard(_ key: FilmKey) -> Int { Int(key.shard % 64) }
}
