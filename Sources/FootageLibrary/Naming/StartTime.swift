package import FootageBase

/// When a recording began, and how that is known.
package struct StartTime: Hashable, Sendable {
  /// What tells it, the best first.
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

/// What a file tells of its own age, apart from its name. All of it is kept, so that a start can be judged again under
/// other rules without a look at the file.
package struct TimeWitnesses: Hashable, Sendable {
  /// Of `mvhd` (ISO/IEC 14496-12 §8.2.2), in seconds since 1970.
  package var creationSeconds: Int64?
  /// Whether another recording of the same camera was ever seen with that creation time: a segmenter gives the moment
  /// of its own start to all that it writes.
  package var isCreationShared: Bool
  /// Of the last write, since 1970.
  package var modifiedNanoseconds: Int64
  /// In seconds.
  package var duration: Double?

  package init(
    creationSeconds: Int64? = nil, isCreationShared: Bool = false, modifiedNanoseconds: Int64, duration: Double? = nil
  ) {
    self.creationSeconds = creationSeconds
    self.isCreationShared = isCreationShared
    self.modifiedNanoseconds = modifiedNanoseconds
    self.duration = duration
  }

  /// The creation time where it can be the recording's own: of a clock that was set, and not of the future.
  ///
  /// - Parameter now: the future begins behind it, or behind the last write where that is later: the clock may have
  ///   been set back since.
  func creation(now: UnixTimestamp) -> UnixTimestamp? {
    guard let creationSeconds, creationSeconds >= Self.plausibleUnixSeconds, !isCreationShared else { return nil }
    let creation = UnixTimestamp(seconds: creationSeconds)
    return creation <= max(now, modified) ? creation : nil
  }

  /// The last write, less the duration.
  var fileStart: UnixTimestamp {
    guard let duration, duration > 0, duration < 1e9 else { return modified }
    return modified.advanced(byMilliseconds: -Int64((duration * 1_000).rounded()))
  }

  private var modified: UnixTimestamp { UnixTimestamp(nanoseconds: modifiedNanoseconds) }

  /// 2015-01-01T00:00:00Z: a clock that shows less was never set.
  static let plausibleUnixSeconds: Int64 = 1_420_070_400
}
