/// Whether somebody still writes to a file, by the best witness there is: no input or output, and no clock.

internal import FootageSystem

/// What the kernel's events have told of a file's writer.
enum WriterEvidence: Equatable {
  /// Nothing: it was there before, or events were lost, or are not to be had.
  case none
  /// A name was made: by a writer that will close the file, or for a file that was there already (a hard link).
  case created
  /// It was moved here; whoever wrote to it under its old name may still do so.
  case moved
  /// Somebody wrote to it and has not closed it since.
  case modified
  /// The last writer closed it at this time.
  case closed(at: Int64)
}

/// All times are nanoseconds: `now` of a clock that never goes back, ages since the file's last change.
enum WriterPresence: Equatable {
  /// Nobody writes: the file is what its structure says.
  case absent
  /// Somebody does, or may; it is looked at again then, or earlier if something happens to it.
  case present(lookAgain: Int64)

  /// What can be said before the file was looked into; nil where its structure, or a lease, has to tell.
  static func early(_ evidence: WriterEvidence, age: Int64, now: Int64) -> WriterPresence? {
    guard evidence == .modified, age < LibraryLimits.silentNanoseconds else { return nil }
    return .present(lookAgain: now + LibraryLimits.silentNanoseconds - age)
  }

  /// - Parameters:
  ///   - isWhole: whether nothing is missing at the file's end.
  ///   - isWatched: whether events of the file's folder are to be had.
  ///   - age: since the last change of the file; see `age(of:at:)`.
  static func judge(
    _ evidence: WriterEvidence, lease: WriterAnswer, isWhole: Bool, isWatched: Bool, age: Int64, now: Int64
  ) -> WriterPresence {
    if case .closed(let time) = evidence {
      if lease == .held { return .present(lookAgain: now + LibraryLimits.leaseIntervalNanoseconds) }
      // A copier that opens its target again, and a file that is finished a moment after it was closed, get a second.
      let rest = time + LibraryLimits.closeGraceNanoseconds - now
      return isWhole || rest <= 0 ? .absent : .present(lookAgain: now + rest)
    }
    switch lease {
    case .held: return .present(lookAgain: now + LibraryLimits.leaseIntervalNanoseconds)
    // The event of a new name comes before its maker has the file open.
    case .free where evidence == .created && !isWhole && age < LibraryLimits.closeGraceNanoseconds:
      return .present(lookAgain: now + LibraryLimits.closeGraceNanoseconds - age)
    // That it is not closed was true when it was seen last; the event was lost.
    case .free where isWatched || isWhole: return .absent
    case .free, .unknown: break
    }
    switch evidence {
    case .modified: return .present(lookAgain: now + LibraryLimits.silentNanoseconds)
    case .moved where isWhole: return .absent
    default:
      let quiet = isWatched ? LibraryLimits.silentNanoseconds : LibraryLimits.quietNanoseconds
      return age < quiet ? .present(lookAgain: now + quiet - age) : .absent
    }
  }

  /// How long ago a file was changed. A change a little ahead of the clock is fresh: file systems and clocks differ by
  /// ticks; one far ahead tells nothing, and counts as old.
  ///
  /// - Parameters:
  ///   - modified: in nanoseconds since 1970.
  ///   - wall: the same, read after the file.
  static func age(of modified: Int64, at wall: Int64) -> Int64 {
    let (age, overflow) = wall.subtractingReportingOverflow(modified)
    if overflow || age < -LibraryLimits.aheadNanoseconds { return .max }
    return max(0, age)
  }
}
