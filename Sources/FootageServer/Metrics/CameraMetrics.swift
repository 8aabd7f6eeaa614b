internal import FootageLibrary

/// What metrics tell of a camera, under the label that it has there.
struct CameraMetrics: Equatable {
  /// Beyond so many labels, the rest are one: each is a series that somebody's Prometheus keeps.
  static let limit = 64
  static let rest = "other"

  /// Empty for the recordings without a camera.
  let label: String
  var ready: UInt64 = 0
  var recording: UInt64 = 0
  var refused: UInt64 = 0
  var bytes: UInt64 = 0
  /// Of the last write, in nanoseconds since 1970.
  var lastWrite: Int64?

  /// In order of their names, so that a camera keeps its label; pure.
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
