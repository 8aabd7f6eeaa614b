/// The decision whether a process is still writing to a file, based on the best available evidence. It does no input or
/// output, and reads no clock.

internal import FootageSystem

/// The evidence of a file's writer from the kernel's events.
enum WriterEvidence: Equatable {
  /// There is no evidence: the file existed before, or events were lost or are unavailable.
  case none
  /// The name of the file was created, by a writer that will close the file, or as a hard link to a file that existed
  /// already.
  case created
  /// The file was moved to this path; a process that was writing to it under its old path may still do so.
  case moved
  /// A process wrote to the file and has not closed it since.
  case modified
  /// The last writer closed the file at this time.
  case closed(at: Int64)
}

/// The presence of a file's writer. All times are in nanoseconds: `now` is from a monotonic clock, ages are the time
/// since the file's last change.
enum WriterPresence: Equatable {
  /// No process is writing to the file, so its structure is final.
  case absent
  /// A process is or may be writing to the file. The next examination is due at this time, or earlier if the file
  /// changes.
  case present(lookAgain: Int64)

  /// Returns the decision if it is possible before the file is read; nil if the file's structure or a lease must
  /// decide.
  static func early(_ evidence: WriterEvidence, age: Int64, now: Int64) -> WriterPresence? {
    guard evidence == .modified, age < LibraryLimits.silentNanoseconds else { return nil }
    return .present(lookAgain: now + LibraryLimits.silentNanoseconds - age)
  }

  /// - Parameters:
  ///   - isWhole: true if nothing is missing at the file's end.
  ///   - isWatched: true if events are available for the file's folder.
  ///   - age: the time since the file's last change; see `age(of:at:)`.
  static func judge(
    _ evidence: WriterEvidence, lease: WriterAnswer, isWhole: Bool, isWatched: Bool, age: Int64, now: Int64
  ) -> WriterPresence {
    if case .closed(let time) = evidence {
      if lease == .held { return .present(lookAgain: now + LibraryLimits.leaseIntervalNanoseconds) }
      // Allow a second for a copier that opens its target again, and for a file that is finished just after it was
      // closed.
      let rest = time + LibraryLimits.closeGraceNanoseconds - now
      return isWhole || rest <= 0 ? .absent : .present(lookAgain: now + rest)
    }
    switch lease {
    case .held: return .present(lookAgain: now + LibraryLimits.leaseIntervalNanoseconds)
    // The event for a new name arrives before its creator has opened the file.
    case .free where evidence == .created && !isWhole && age < LibraryLimits.closeGraceNanoseconds:
      return .present(lookAgain: now + LibraryLimits.closeGraceNanoseconds - age)
    // No process has the file open, so evidence to the contrary is outdated: the close event was lost.
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

  /// Returns the time since a file was changed. A change slightly ahead of the clock counts as recent, because file
  /// systems and clocks differ by ticks. A change far ahead of it is not credible, and counts as old.
  ///
  /// - Parameters:
  ///   - modified: in nanoseconds since 1970.
  ///   - wall: the present in nanoseconds since 1970, read after the file.
  static func age(of modified: Int64, at wall: Int64) -> Int64 {
    let (age, overflow) = wall.subtractingReportingOverflow(modified)
    if overflow || age < -LibraryLimits.aheadNanoseconds { return .max }
    return max(0, age)
  }
}
