package import FootageAPI

/// The recordings as somebody sees them who may not see all: what is not theirs to see is not there.
package struct VisibleRecordings: Sendable {
  private let snapshot: LibrarySnapshot
  private let cameras: CameraSelection

  package init(_ snapshot: LibrarySnapshot, of cameras: CameraSelection) {
    self.snapshot = snapshot
    self.cameras = cameras
  }

  /// The recording of this name, byte for byte, or nil. O(1).
  package func recording(named name: String) -> Recording? {
    snapshot.recording(named: name).flatMap { cameras.contains(camera: $0.camera) ? $0 : nil }
  }

  /// A recording of this version; nil where there is none. O(1).
  package func recording(tagged tag: VersionTag) -> Recording? {
    snapshot.recordings(tagged: tag).first { cameras.contains(camera: $0.camera) }
  }

  /// How many there are, whatever their state. O(n) where not all can be seen: not for an event loop then.
  package var count: Int {
    guard !cameras.isEverything else { return snapshot.count }
    var count = 0
    snapshot.forEachNewestFirst { if cameras.contains(camera: $0.camera) { count += 1 } }
    return count
  }

  /// The recordings of a camera, or without one, in their order; nil where there are none.
  func recordings(ofCamera camera: String?) -> ChronologicalIndex? {
    cameras.contains(camera: camera) ? snapshot.recordings(ofCamera: camera) : nil
  }

  /// One page of the list, newest first, and where the next one begins; nil where this is the last one.
  package func page(of query: ListQuery) -> (recordings: [Recording], next: ListCursor?) {
    snapshot.page(of: query, from: cameras)
  }
}
