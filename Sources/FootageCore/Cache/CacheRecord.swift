package import FootageBase

/// A version as the index has it.
package struct CacheRecord: Hashable, Sendable {
  package let key: RecordingKey
  package let version: RecordingVersion
  /// What its file is called, without the ending.
  package let stem: String
  /// Not to make room for others.
  package var isKept: Bool
  /// The larger, the later it was used.
  package var lastUse: Int64
  /// What the robot said of the recording, as JSON; nil where that is not known.
  package var item: String?
  /// In order; no two overlap.
  package var fragments: [ChecksummedRange] {
    didSet { claimed = RangeSet(fragments.map(\.range)) }
  }
  /// The bytes of its fragments.
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
