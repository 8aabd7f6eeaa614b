internal import FootageLibrary

/// Which cameras are silent, and for how long.
///
/// A camera is silent when it has written nothing for three times its usual interval: the median of its last fifty. Pure.
struct CameraSilence {
  /// A camera that should record, by what the others do.
  struct Late: Equatable {
    /// Nil for the recordings without a camera.
    let camera: String?
    let seconds: Int64
  }

  /// Silent while another one records, in order of their names.
  private(set) var late: [Late] = []
  /// For how long nobody has recorded, in seconds; nil where somebody does, or nothing was ever recorded.
  private(set) var allSilentSeconds: Int64?

  /// - Parameter now: what the robot's clock says, in nanoseconds since 1970.
  init(_ cameras: [LibraryStatistics.Camera], at now: Int64) {
    var silent: [Late] = []
    var isAnyRecording = false
    for camera in cameras {
      guard camera.recordingCount == 0 else {
        isAnyRecording = true
        continue
      }
      guard let last = camera.writes.first else { continue }
      let seconds = max(0, (now - last) / 1_000_000_000)
      guard seconds < HealthLimits.forgottenSeconds else { continue }
      if seconds > Self.patience(camera.writes) {
        silent.append(Late(camera: camera.name, seconds: seconds))
      } else {
        isAnyRecording = true
      }
    }
    if isAnyRecording {
      late = silent.sorted { ($0.camera ?? "") < ($1.camera ?? "") }
    } else {
      allSilentSeconds = silent.map(\.seconds).min()
    }
  }

  /// For how long a camera may be silent, in seconds.
  ///
  /// - Parameter writes: the newest first.
  static func patience(_ writes: [Int64]) -> Int64 {
    // After a camera was forgotten, it begins anew.
    let intervals = zip(writes, writes.dropFirst()).map { ($0 - $1) / 1_000_000_000 }
      .filter { $0 < HealthLimits.forgottenSeconds }.sorted()
    guard !intervals.isEmpty else { return HealthLimits.lateSeconds }
    return max(HealthLimits.lateSeconds, HealthLimits.lateIntervals * intervals[intervals.count / 2])
  }
}
