package import FootageBase

/// Why an index of samples cannot be used.
package enum SampleIndexError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Its bytes could not be had.
  case unreadable(ReadFailure)
  /// It contradicts itself, or is none: to be made again.
  case damaged(String)
  /// It was written by another version of Footage.
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
