internal import FootageAPI
package import FootageBase
internal import FootageSystem

/// The statistics of each camera, from which health and metrics are computed.
///
/// A camera's activity is measured by the modification times of its files, which are from the robot's own clock. The
/// times in names are not used.
package struct LibraryStatistics: Sendable {
  package struct Camera: Sendable {
    /// The name; nil for the recordings without a camera.
    package let name: String?
    package fileprivate(set) var readyCount = 0
    package fileprivate(set) var recordingCount = 0
    package fileprivate(set) var refusedCount = 0
    /// The total size of the files, in bytes.
    package fileprivate(set) var bytes: UInt64 = 0
    /// The times of the last writes to the camera's files, newest first, in nanoseconds since 1970. They are the
    /// modification times of its 51 most recently written files, not counting refused ones and those that are more than
    /// a minute ahead of the clock.
    package fileprivate(set) var writes: [Int64] = []

    package init(name: String?) { self.name = name }
  }

  /// The cameras, in no particular order.
  package private(set) var cameras: [Camera] = []
  /// A file that was refused.
  package struct Refusal: Hashable, Sendable {
    package let path: String
    package let camera: String?
  }

  /// The files written to within the last day that were refused, newest first.
  package private(set) var refusals: [Refusal] = []

  /// The number of intervals between a camera's writes that are considered.
  package static let intervals = 50
  private static let day: Int64 = 86_400_000_000_000
  /// The time by which a write may be ahead of the clock and still count, in nanoseconds. It allows for a clock that
  /// was set back slightly.
  private static let slack: Int64 = 60_000_000_000

  /// Computes the statistics. O(n log n) in the number of recordings: do not call on an event loop.
  ///
  /// - Parameter now: the time of the robot's clock.
  package init(_ snapshot: LibrarySnapshot, at now: UnixTimestamp) {
    let now = now.milliseconds.multipliedReportingOverflow(by: 1_000_000)
    let moment = now.overflow ? Int64.max / 2 : now.partialValue
    var byName: [ExactName: Int] = [:]
    var refused: [(written: Int64, Refusal)] = []
    snapshot.forEachNewestFirst { recording in
      let key = ExactName(recording.camera)
      let index = byName[key] ?? cameras.count
      if index == cameras.count {
        byName[key] = index
        cameras.append(Camera(name: recording.camera))
      }
      let written = recording.version.modifiedNanoseconds
      let isPast = written <= moment &+ Self.slack
      let isFromLastDay = isPast && written > moment &- Self.day
      cameras[index].bytes &+= recording.version.size
      switch recording.state {
      case .ready: cameras[index].readyCount += 1
      case .recording: cameras[index].recordingCount += 1
      case .refused:
        cameras[index].refusedCount += 1
        if isFromLastDay { refused.append((written, Refusal(path: recording.path.text, camera: recording.camera))) }
        return
      }
      if isPast { cameras[index].writes.append(written) }
    }
    for index in cameras.indices {
      cameras[index].writes = Array(cameras[index].writes.sorted(by: >).prefix(Self.intervals + 1))
    }
    refusals = refused.sorted { $0.written > $1.written }.map(\.1)
  }
}
