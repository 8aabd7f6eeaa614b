internal import FootageStore
internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import Synchronization
internal import FootageSystem

/// The health of a server of many robots, derived from the state of the store, the list of robots and the index.
final class FleetHealth: HealthReporting {
  private struct State {
    var certificateEnd: UnixTimestamp?
    var certificateFailure: String?
  }

  private let index: FleetIndex
  private let progress: FleetProgress
  private let clock: Clock
  private let built: UnixTimestamp
  private let state = Mutex(State())

  /// The time without an answer from the store after which the report mentions it, even if no request has failed,
  /// because the store may not respond at all.
  private static let silentMilliseconds: Int64 = 120_000

  /// - Parameter built: the time when this program was built, in seconds since 1970.
  init(_ index: FleetIndex, _ progress: FleetProgress, clock: Clock = .system, built: Int64 = Process.buildSeconds) {
    self.index = index
    self.progress = progress
    self.clock = clock
    self.built = UnixTimestamp(seconds: built)
  }

  /// - Parameters:
  ///   - end: the expiry of the certificate in use, in seconds since 1970.
  ///   - failure: the reason why the certificates on the disk cannot be used; nil if they can.
  func noteCertificates(end: Int64?, failure: String?) {
    state.withLock {
      $0.certificateEnd = end.map { UnixTimestamp(seconds: $0) }
      $0.certificateFailure = failure
    }
  }

  /// The time when the certificate in use expires; nil while it is unknown.
  var certificateEnd: UnixTimestamp? { state.withLock { $0.certificateEnd } }

  var report: HealthReport { report(seenBy: .all) }

  /// Returns the report for a viewer who may see these cameras. As on a robot, reasons about the whole server are
  /// reduced to their codes for a viewer who may not see everything. Reads a few rows of the index, so it is not for an
  /// event loop.
  func report(seenBy cameras: CameraSelection) -> HealthReport {
    let now = UnixTimestamp(nanoseconds: clock.unixNanoseconds)
    let status = progress.status
    let counts = try? index.counts(from: cameras)
    var reasons: [HealthReport.Reason] = []
    if let trouble = status.storeTrouble {
      reasons.append(HealthReport.Reason(trouble.code, HealthText.sentence(trouble.words)))
    } else if let last = status.lastRound, now.milliseconds - last.milliseconds > Self.silentMilliseconds {
      reasons.append(
        HealthReport.Reason(
          .offloadAway,
          "The store last answered \(HealthText.span((now.milliseconds - last.milliseconds) / 1_000)) ago: "
            + "check that it is running and can be reached."))
    }
    if let failure = status.robotsFailure {
      reasons.append(
        HealthReport.Reason(
          .robotsUnusable,
          "The new list of robots cannot be used, and the current one stays in use: \(failure)."))
    }
    if let failure = status.indexFailure ?? (counts == nil ? "it cannot be read" : nil) {
      reasons.append(HealthReport.Reason(.catalogUnwritable, "The index cannot be used: \(failure)."))
    }
    let (end, failure) = state.withLock { ($0.certificateEnd, $0.certificateFailure) }
    reasons += HealthReport.machineReasons(
      certificateEnd: end, certificateFailure: failure, now: now, built: built)
    reasons = reasons.told(to: cameras)
    // The count includes only the cameras that the viewer may see.
    if let refused = counts?.refused, refused > 0 {
      reasons.append(
        HealthReport.Reason(
          .offloadForeign,
          "\(HealthText.recordings(refused)) in the store cannot be served, because the signature matches no key in "
            + "the list of robots: run footage list --state refused to see which, and check the keys in the list."))
    }
    return HealthReport(recordings: counts?.all ?? 0, reasons: reasons, forecastSeconds: nil)
  }
}
