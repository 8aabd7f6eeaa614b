package import FootageBase

/// The reason why an index of samples cannot be used.
package enum SampleIndexError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes of the index could not be read.
  case unreadable(ReadFailure)
  /// The bytes contradict themselves or are not an index. The index should be made again.
  case damaged(String)
  /// The index was written by a different version of Footage.
  case unsupported(version: UInt32)

  package var description: String {
    switch self {
    case .unreadable(let failure): "cannot read the sample index: \(failure)"
    case .damaged(let reason): "the sample index is damaged: it \(reason)"
    case .unsupported(let version):
      "the sample index has format \(version), which this version of Footage does not support: update Footage"
    }
  }
}
