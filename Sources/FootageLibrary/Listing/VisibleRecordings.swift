package import FootageAPI

/// The recordings that a viewer with access to only some cameras may see; all others appear not to exist.
package struct VisibleRecordings: Sendable {
  private let snapshot: LibrarySnapshot
  private let cameras: CameraSelection

  package init(_ snapshot: LibrarySnapshot, of cameras: CameraSelection) {
    self.snapshot = snapshot
    self.cameras = cameras
  }

  /// Returns the recording with this name, compared byte for byte; nil if there is none. O(1).
  package func recording(named name: String) -> Recording? {
    snapshot.recording(named: name).flatMap { cameras.contains(camera: $0.camera) ? $0 : nil }
  }

  /// Returns the recording whose version has the film with this key; nil if there is none. O(1).
  package func recording(film key: FilmKey) -> Recording? {
    snapshot.recording(film: key).flatMap { cameras.contains(camera: $0.camera) ? $0 : nil }
  }

  /// The number of recordings, whatever their state. O(n) if not all are visible: then do not call it on an event loop.
  package var count: Int {
    guard !cameras.isEverything else { return snapshot.count }
    var count = 0
    snapshot.forEachNewestFirst { if cameras.contains(camera: $0.camera) { count += 1 } }
    return count
  }

  /// Returns the recordings of a camera in order; nil if there are none. If `camera` is nil, these are the recordings
  /// without a camera.
  func recordings(ofCamera camera: String?) -> ChronologicalIndex? {
    cameras.contains(camera: camera) ? snapshot.recordings(ofCamera: camera) : nil
  }

  /// Returns one page of the list, newest first, and the cursor of the next page; nil if this is the last one.
  package func page(of query: ListQuery) -> (recordings: [Recording], next: ListCursor?) {
    snapshot.page(of: query, from: cameras)
  }
}
