internal import FootageAPI
package import FootageBase
internal import FootageSystem

/// What there is of each camera, and when it last wrote: the sums that health and metrics are made of.
///
/// Activity goes by the time of the last write to a file, which is the robot's own clock whatever names say.
package struct LibraryStatistics: Sendable {
  package struct Camera: Sendable {
    /// Nil for the recordings without a camera.
    package let name: String?
    package fileprivate(set) var readyCount = 0
    package fileprivate(set) var recordingCount = 0
    package fileprivate(set) var refusedCount = 0
    /// Of the files.
    package fileprivate(set) var bytes: UInt64 = 0
    /// When its files were last written to, in nanoseconds since 1970, the newest first: the last 51 that are not
    /// refused, and none that lies ahead of the clock.
    package fileprivate(set) var writes: [Int64] = []

    package init(name: String?) { self.name = name }
  }

  /// In no particular order.
  package private(set) var cameras: [Camera] = []
  /// A file that was refused.
  package struct Refusal: Hashable, Sendable {
    package let path: String
    package let camera: String?
  }

  /// Files of the last day that were refused, the newest first.
  package private(set) var refusals: [Refusal] = []

  /// So many intervals between a camera's writes are looked at.
  package static let intervals = 50
  private static let day: Int64 = 86_400_000_000_000
  /// A clock that steps back a little makes no file one of the future.
  private static let slack: Int64 = 60_000_000_000

  /// O(n log n) in the recordings: not for an event loop.
  ///
  /// - Parameter now: what the robot's clock says.
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
