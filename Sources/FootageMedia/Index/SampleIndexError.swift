package import FootageBase

/// The reason an index of samples cannot be used.
package enum SampleIndexError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes of the index could not be read.
  case unreadable(ReadFailure)
  /// The bytes contradict themselves or are not an index. It should be made again.
  case damaged(String)
  /// The index was written by a different version of Footage.
  case unsupported(version: UInt32)

  package var description: String {
    switch self {
    case .unreadable(let failure): "the index of its samples cannot be read: \(failure)"
    case .damaged(let reason): "the index of its samples is damaged: it \(reason)"
    case .unsupported(let version):
      "the index of its samples has format \(version), which this version of Footage does not know: update it"
    }
  }
}
