internal import FootageAPI
internal import FootageSystem

/// The log lines for problems with the robot that begin or end. It returns the lines instead of writing them.
///
/// Problems that the library, its retention and the certificates log themselves at the moment when they happen are not
/// logged again.
struct HealthLog {
  private struct Trouble: Hashable {
    let code: String
    let camera: String?
  }

  /// The problems that were logged, each with the time of its last line.
  private var told: [Trouble: Deadline] = [:]
  private var present: Set<Trouble> = []

  /// The shortest time between two lines for a problem that ends and begins again.
  private static let pause = Deadline.Delay(.seconds(600))
  private static let limit = 1_000

  private static let saidElsewhere: Set<HealthCode> = [
    .folderMissing, .mountLost, .recordingsAway, .stateUnwritable, .catalogUnwritable, .unwatched, .refusedLately,
    .certificateExpired, .certificatesUnusable, .camerasSilent, .foreignFiles, .retentionFailing,
  ]

  /// - Returns: the lines for the log, each a warning.
  mutating func lines(for report: HealthReport, at now: Deadline) -> [String] {
    var lines: [String] = []
    var found: Set<Trouble> = []
    for reason in report.reasons {
      if let code = HealthCode(rawValue: reason.code), Self.saidElsewhere.contains(code) { continue }
      let trouble = Trouble(code: reason.code, camera: reason.camera)
      found.insert(trouble)
      guard !present.contains(trouble), told[trouble].map({ $0.advanced(by: Self.pause) <= now }) ?? true else {
        continue
      }
      present.insert(trouble)
      told[trouble] = now
      lines.append("\(reason.code): \(reason.text)")
    }
    for over in present.subtracting(found).sorted(by: { ($0.code, $0.camera ?? "") < ($1.code, $1.camera ?? "") }) {
      present.remove(over)
      lines.append("\(over.code)\(over.camera.map { " of \($0)" } ?? ""): resolved")
    }
    if told.count > Self.limit { told = told.filter { present.contains($0.key) } }
    return lines
  }
}
