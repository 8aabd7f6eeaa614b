internal import FootageBase

/// The versions of a cache that are open, by their numbers in its index, and the room that they were given.
struct OpenVersions {
  private var versions: [Int64: CachedVersion] = [:]
  /// What each was given and has not filled with durable bytes yet, in bytes.
  private var reserved: [Int64: UInt64] = [:]

  subscript(id: Int64) -> CachedVersion? { versions[id] }

  var isEmpty: Bool { versions.isEmpty }
  var all: [CachedVersion] { Array(versions.values) }
  var ids: [Int64] { Array(versions.keys) }

  /// Given away and not on disk yet, by all of them together, in bytes.
  var reservedBytes: UInt64 { reserved.values.reduce(0) { $0.addingClamped($1) } }

  mutating func insert(_ version: CachedVersion, _ id: Int64) { versions[id] = version }

  /// Gives a version room to grow.
  mutating func reserve(_ bytes: UInt64, for id: Int64) { reserved[id, default: 0] += bytes }

  /// A version has filled some of its room for good.
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
