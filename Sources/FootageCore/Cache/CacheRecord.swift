package import FootageBase

/// A version as the index records it.
package struct CacheRecord: Hashable, Sendable {
  package let key: RecordingKey
  package let version: RecordingVersion
  /// The name of the version's file, without the extension.
  package let stem: String
  /// True if the version is never removed to make room for others.
  package var isKept: Bool
  /// The order of the last use: the larger, the later.
  package var lastUse: Int64
  /// The robot's description of the recording, as JSON; nil if it is unknown.
  package var item: String?
  /// The ranges whose bytes are claimed, which means durable, in order; no two overlap.
  package var fragments: [ChecksummedRange] {
    didSet { claimed = RangeSet(fragments.map(\.range)) }
  }
  /// The bytes of the fragments.
  package private(set) var claimed: RangeSet

  package init(
    key: RecordingKey, version: RecordingVersion, stem: String, isKept: Bool = false, lastUse: Int64 = 0,
    item: String? = nil, fragments: [ChecksummedRange] = []
  ) {
    self.key = key
    self.version = version
    self.stem = stem
    self.isKept = isKept
    self.lastUse = lastUse
    self.item = item
    self.fragments = fragments
    claimed = RangeSet(fragments.map(\.range))
  }

  package var isComplete: Bool { claimed.contains(0..<version.length) }
}
