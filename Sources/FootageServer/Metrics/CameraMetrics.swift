internal import FootageLibrary

/// The metrics of a camera, with the camera's label.
struct CameraMetrics: Equatable {
  /// The maximum number of labels. Further cameras share the label `rest`, because each label is a series that
  /// Prometheus must keep.
  static let limit = 64
  static let rest = "other"

  /// The label; empty for the recordings without a camera.
  let label: String
  var ready: UInt64 = 0
  var recording: UInt64 = 0
  var refused: UInt64 = 0
  var bytes: UInt64 = 0
  /// The time of the last write, in nanoseconds since 1970.
  var lastWrite: Int64?

  /// Returns the metrics of all cameras. The cameras are sorted by name, so that each keeps its label.
  static func all(_ cameras: [LibraryStatistics.Camera]) -> [CameraMetrics] {
    let cameras = cameras.sorted { ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8) }
    var places: [String: Int] = [:]
    var all: [CameraMetrics] = []
    for (index, camera) in cameras.enumerated() {
      let label = index < limit - 1 || cameras.count <= limit ? camera.name ?? "" : rest
      let place = places[label] ?? all.count
      if place == all.count {
        places[label] = place
        all.append(CameraMetrics(label: label))
      }
      all[place].add(camera)
    }
    return all
  }

  private mutating func add(_ camera: LibraryStatistics.Camera) {
    ready += UInt64(camera.readyCount)
    recording += UInt64(camera.recordingCount)
    refused += UInt64(camera.refusedCount)
    bytes &+= camera.bytes
    if let written = camera.writes.first { lastWrite = max(lastWrite ?? written, written) }
  }
}
