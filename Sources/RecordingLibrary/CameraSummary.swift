package import Formats
internal import ISOMedia
internal import Storage
internal import System

/// What there is of one camera: the recordings that are ready, and those that are still recorded. Refused ones do not count.
package struct CameraSummary: Hashable, Sendable {
  /// Nil for the recordings without a camera.
  package let name: String?
  package let recordingCount: Int
  /// When the earliest of them begins.
  package let from: UnixTimestamp
  /// When the last of them ends, as far as is known: one that grows ends with its last write as of its last look.
  package let to: UnixTimestamp
  /// Whether one of them is still recorded.
  package let isLive: Bool
  /// Of the pictures of the newest one that has any, as in RFC 6381; nil where none has.
  package let codec: String?
}

extension LibrarySnapshot {
  /// The cameras in order of their names, byte by byte; recordings without a camera come last. O(n) in the recordings: not for
  /// an event loop.
  package var cameras: [CameraSummary] {
    var tallies: [NameKey?: CameraTally] = [:]
    forEachNewestFirst { recording in
      guard recording.isThereOrComing else { return }
      tallies[recording.camera.map(NameKey.init), default: CameraTally(recording)].add(recording)
    }
    return tallies.values.map(\.summary).sorted { one, other in
      guard let name = one.name else { return false }
      return other.name.map { name.utf8.lexicographicallyPrecedes($0.utf8) } ?? true
    }
  }
}

/// A camera's recordings as they are counted, the newest first.
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

  var summary: CameraSummary {
    CameraSummary(name: name, recordingCount: count, from: from, to: to, isLive: isLive, codec: codec)
  }
}

extension Recording {
  fileprivate var isThereOrComing: Bool {
    if case .refused = state { false } else { true }
  }

  /// Never before its start.
  fileprivate var endsAt: UnixTimestamp {
    guard let duration else { return max(startedAt, UnixTimestamp(nanoseconds: version.modifiedNanoseconds)) }
    return startedAt.advanced(byMilliseconds: Int64(min(max(duration, 0), 1e9) * 1_000 + 0.5))
  }
}
