package import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

extension LibrarySnapshot {
  /// The cameras in the order of their names, byte by byte; recordings without a camera come last. Refused recordings
  /// do not count, and a growing one ends with its last write before it was last examined. O(n) in the number of
  /// recordings: do not call on an event loop.
  package var cameras: [CameraList.Camera] {
    var tallies: [ExactName: CameraTally] = [:]
    forEachNewestFirst { recording in
      guard recording.isThereOrComing else { return }
      tallies[ExactName(recording.camera), default: CameraTally(recording)].add(recording)
    }
    return tallies.values.map(\.summary).sorted { ExactName($0.name) < ExactName($1.name) }
  }
}

/// A tally of a camera's recordings, which are added newest first.
private struct CameraTally {
  private let name: String?
  private var count = 0
  private var from: UnixTimestamp
  private var to: UnixTimestamp
  private var isLive = false
  private var codec: String?

  init(_ newest: Recording) {
    name = newest.camera
    from = newest.startedAt
    to = newest.endsAt
  }

  mutating func add(_ recording: Recording) {
    count += 1
    from = min(from, recording.startedAt)
    to = max(to, recording.endsAt)
    if recording.state == .recording { isLive = true }
    if codec == nil { codec = recording.video?.codec }
  }

  var summary: CameraList.Camera {
    CameraList.Camera(name: name, recordingCount: count, from: from, to: to, isLive: isLive, codec: codec)
  }
}

extension Recording {
  fileprivate var isThereOrComing: Bool {
    if case .refused = state { false } else { true }
  }

  /// The end of the recording, which is never before its start.
  var endsAt: UnixTimestamp {
    guard let duration else { return max(startedAt, UnixTimestamp(nanoseconds: version.modifiedNanoseconds)) }
    return startedAt.advanced(byMilliseconds: Int64(min(max(duration, 0), 1e9) * 1_000 + 0.5))
  }
}
