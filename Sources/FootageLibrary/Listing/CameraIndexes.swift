internal import FootageAPI

/// The recordings of each camera, newest first. It is a value, as is `ChronologicalIndex`. The cameras are distributed
/// over many dictionaries, so that a change copies only a small one.
struct CameraIndexes: Sendable {
  private var shards = [[ExactName: ChronologicalIndex]](repeating: [:], count: shardCount)

  private static let shardCount = 64

  init() {}

  init(_ recordings: [Recording]) {
    for (camera, own) in Dictionary(grouping: recordings, by: { ExactName($0.camera) }) {
      shards[Self.shard(camera)][camera] = ChronologicalIndex(own)
    }
  }

  /// Returns the recordings of a camera, compared byte for byte; nil if there are none. If `camera` is nil, these are
  /// the recordings without a camera.
  subscript(camera: String?) -> ChronologicalIndex? {
    let camera = ExactName(camera)
    return shards[Self.shard(camera)][camera]
  }

  /// Adds a recording whose path is not in it yet.
  mutating func insert(_ recording: Recording) {
    let camera = ExactName(recording.camera)
    shards[Self.shard(camera)][camera, default: ChronologicalIndex()].insert(recording)
  }

  /// Removes a recording that is in it.
  mutating func remove(_ recording: Recording) {
    let camera = ExactName(recording.camera)
    let shard = Self.shard(camera)
    shards[shard][camera]?.remove(recording)
    if shards[shard][camera]?.count == 0 { shards[shard][camera] = nil }
  }

  private static func shard(_ camera: ExactName) -> Int {
    Int(UInt(bitPattern: camera.hashValue) % UInt(shardCount))
  }
}
