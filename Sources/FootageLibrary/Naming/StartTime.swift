package import FootageBase

/// The start of a recording, with its source.
package struct StartTime: Hashable, Sendable {
  /// The sources of a start, best first.
  package enum Source: String, Hashable, Sendable {
    /// The name, read by the layout that the operator gave.
    case layout
    /// A timestamp in the name.
    case name
    /// The creation time in `mvhd`.
    case creation
    /// The file's last write, less the duration.
    case file
  }

  package let moment: UnixTimestamp
  package let source: Source

  package init(_ moment: UnixTimestamp, _ source: Source) {
    self.moment = moment
    self.source = source
  }
}

/// The facts about a file, other than its name, from which its start can be derived. All of these facts are stored, so
/// that a start can be derived again under other rules without examining the file.
package struct TimeWitnesses: Hashable, Sendable {
  /// The creation time in `mvhd` (ISO/IEC 14496-12 §8.2.2), in seconds since 1970.
  package var creationSeconds: Int64?
  /// True if another recording of the same camera was ever seen with the same creation time. A segmenter writes the
  /// moment of its own start into all its files.
  package var isCreationShared: Bool
  /// The time of the last write, in nanoseconds since 1970.
  package var modifiedNanoseconds: Int64
  /// The duration in seconds.
  package var duration: Double?

  package init(
    creationSeconds: Int64? = nil, isCreationShared: Bool = false, modifiedNanoseconds: Int64, duration: Double? = nil
  ) {
    self.creationSeconds = creationSeconds
    self.isCreationShared = isCreationShared
    self.modifiedNanoseconds = modifiedNanoseconds
    self.duration = duration
  }

  /// Returns the creation time if it can be the recording's own: from a clock that was set, and not in the future.
  ///
  /// - Parameter now: the present. A creation time is in the future if it is later than both `now` and the last write,
  ///   because the clock may have been set back since that write.
  func creation(now: UnixTimestamp) -> UnixTimestamp? {
    guard let creationSeconds, creationSeconds >= Self.plausibleUnixSeconds, !isCreationShared else { return nil }
    let creation = UnixTimestamp(seconds: creationSeconds)
    return creation <= max(now, modified) ? creation : nil
  }

  /// The time of the last write, less the duration.
  var fileStart: UnixTimestamp {
    guard let duration, duration > 0, duration < 1e9 else { return modified }
    return modified.advanced(byMilliseconds: -Int64((duration * 1_000).rounded()))
  }

  private var modified: UnixTimestamp { UnixTimestamp(nanoseconds: modifiedNanoseconds) }

  /// 2015-01-01T00:00:00Z. A clock that shows an earlier time was never set.
  static let plausibleUnixSeconds: Int64 = 1_420_070_400
}
