internal import Formats

/// A version of a recording, by its name with the robot's. Names are told apart byte by byte: two spellings of a letter are
/// equal strings, and two recordings.
struct FleetVersion: Hashable, Sendable {
  let name: String
  let tag: String

  static func == (one: FleetVersion, other: FleetVersion) -> Bool {
    one.name.utf8.elementsEqual(other.name.utf8) && one.tag.utf8.elementsEqual(other.tag.utf8)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

  /// Of its bytes: what is alike in it by accident costs a look at the next listing, and nothing else.
  var fingerprint: UInt64 {
    var hash = FNV1a()
    hash.add(Array(name.utf8)[...])
    hash.add([0])
    hash.add(Array(tag.utf8)[...])
    return hash.value
  }
}
