internal import FootageLibrary

/// The cameras that are silent, with the duration of their silence.
///
/// A camera is silent if it has written nothing for three times its usual interval: the median of its last fifty. The
/// result depends only on the arguments.
struct CameraSilence {
  /// A camera that should be recording, because other cameras are.
  struct Late: Equatable {
    /// The camera's name; nil for the recordings without a camera.
    let camera: String?
    let seconds: Int64
  }

  /// The cameras that are silent while another one records, sorted by name.
  private(set) var late: [Late] = []
  /// The time for which no camera has recorded, in seconds; nil if a camera records or none ever did.
  private(set) var allSilentSeconds: Int64?

  /// - Parameter now: the time of the robot's clock, in nanoseconds since 1970.
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

  /// Returns the time for which a camera may be silent, in seconds.
  ///
  /// - Parameter writes: the times of the writes, the newest first.
  static func patience(_ writes: [Int64]) -> Int64 {
    // Gaps that were long enough for the camera to be forgotten do not count.
    let intervals = zip(writes, writes.dropFirst()).map { ($0 - $1) / 1_000_000_000 }
      .filter { $0 < HealthLimits.forgottenSeconds }.sorted()
    guard !intervals.isEmpty else { return HealthLimits.lateSeconds }
    return max(HealthLimits.lateSeconds, HealthLimits.lateIntervals * intervals[intervals.count / 2])
  }
}
