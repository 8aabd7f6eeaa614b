internal import FootageBase

/// The open versions of a cache, by their numbers in its index, and the room that is reserved for them.
struct OpenVersions {
  private var versions: [Int64: CachedVersion] = [:]
  /// The room that is reserved for each version and does not hold durable bytes yet, in bytes.
  private var reserved: [Int64: UInt64] = [:]

  subscript(id: Int64) -> CachedVersion? { versions[id] }

  var isEmpty: Bool { versions.isEmpty }
  var all: [CachedVersion] { Array(versions.values) }
  var ids: [Int64] { Array(versions.keys) }

  /// The room that is reserved for all versions together and not filled yet, in bytes.
  var reservedBytes: UInt64 { reserved.values.reduce(0) { $0.addingClamped($1) } }

  mutating func insert(_ version: CachedVersion, _ id: Int64) { versions[id] = version }

  /// Reserves room for a version to grow.
  mutating func reserve(_ bytes: UInt64, for id: Int64) { reserved[id, default: 0] += bytes }

  /// Records that durable bytes of a version have filled some of its room.
  mutating func fill(_ bytes: UInt64, of id: Int64) {
    if let room = reserved[id] { reserved[id] = room - min(room, bytes) }
  }

  mutating func remove(_ id: Int64) {
    versions[id] = nil
    reserved[id] = nil
  }

  mutating func removeAll() {
    versions = [:]
    reserved = [:]
  }
}
