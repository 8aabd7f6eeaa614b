internal import FootageStore
internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import Synchronization
internal import FootageSystem

/// How a server of many robots is: as the store, the list of robots and the index are.
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

  /// A store of which nothing was heard for so long is told of even where it has not failed: it hangs.
  private static let silentMilliseconds: Int64 = 120_000

  /// - Parameter built: when this program was made, in seconds since 1970.
  init(_ index: FleetIndex, _ progress: FleetProgress, clock: Clock = .system, built: Int64 = Process.buildSeconds) {
    self.index = index
    self.progress = progress
    self.clock = clock
    self.built = UnixTimestamp(seconds: built)
  }

  /// - Parameters:
  ///   - end: of the certificate in use, in seconds since 1970.
  ///   - failure: why the certificates that lie there now cannot be used; nil where they can.
  func noteCertificates(end: Int64?, failure: String?) {
    state.withLock {
      $0.certificateEnd = end.map { UnixTimestamp(seconds: $0) }
      $0.certificateFailure = failure
    }
  }

  /// When the certificate in use ends; nil while that is not known.
  var certificateEnd: UnixTimestamp? { state.withLock { $0.certificateEnd } }

  var report: HealthReport { report(seenBy: .all) }

  /// As somebody is told who may see these cameras: as of a robot, by codes alone what is about the whole. Reads a few rows of the index: not for an event loop.
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
          "Nothing new has been heard of the store for \(HealthText.span((now.milliseconds - last.milliseconds) / 1_000)): "
            + "see whether it answers."))
    }
    if let failure = status.robotsFailure {
      reasons.append(
        HealthReport.Reason(
          .robotsUnusable,
          "The list of robots that lies there now cannot be used, and the one in use stays: \(failure)."))
    }
    if let failure = status.indexFailure ?? (counts == nil ? "it cannot be read" : nil) {
      reasons.append(HealthReport.Reason(.catalogUnwritable, "The index cannot be used: \(failure)."))
    }
    let (end, failure) = state.withLock { ($0.certificateEnd, $0.certificateFailure) }
    reasons += HealthReport.machineReasons(
      certificateEnd: end, certificateFailure: failure, now: now, built: built)
    reasons = reasons.told(to: cameras)
    // Counted of their cameras alone.
    if let refused = counts?.refused, refused > 0 {
      reasons.append(
        HealthReport.Reason(
          .offloadForeign,
          "\(HealthText.recordings(refused)) in the store were not signed by their robots, and are not served: "
            + "footage list --state refused says which, and the list of robots which keys count."))
    }
    return HealthReport(recordings: counts?.all ?? 0, reasons: reasons, forecastSeconds: nil)
  }
}
