/// The recordings that one loop holds open, so that a probe of two bytes opens no file.

internal import HTTPSemantics
internal import Networking
internal import RecordingLibrary
internal import Storage

/// Belongs to its loop's thread. What the library no longer has is closed on its word, so that a deleted recording frees
/// its disk as soon as the responses that still send it are over.
final class OpenRecordings {
  private struct Entry {
    let recording: Recording
    let metadata: RepresentationMetadata
    let body: RecordingBody
    var lastUse: UInt64
  }

  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0
  private let library: RecordingLibrary
  private let pool: BlockingPool

  /// Recordings held open; each costs two descriptors.
  private static let limit = 64

  init(_ library: RecordingLibrary, pool: BlockingPool) {
    self.library = library
    self.pool = pool
  }

  /// What a response needs of a recording; opens it, off the loop, where it is not open.
  func representation(of recording: Recording) async throws(LibraryError) -> (RepresentationMetadata, RecordingBody) {
    uses &+= 1
    if let entry = entries[recording.name], entry.recording === recording {
      entries[recording.name]?.lastUse = uses
      return (entry.metadata, entry.body)
    }
    let library = library
    let opened = await pool.run { () -> Result<Representation, LibraryError> in
      do throws(LibraryError) { return .success(try library.open(recording)) } catch { return .failure(error) }
    }
    let representation = try opened.get()
    guard let entityTag = EntityTag(representation.entityTag) else { throw .headDamaged(name: recording.name) }
    let metadata = RepresentationMetadata(
      length: representation.slices.length, mediaType: representation.mediaType,
      entityTag: entityTag, lastModified: representation.lastModified, cacheControl: "no-cache")
    let body = RecordingBody(representation: representation, pool: pool)
    entries[recording.name] = Entry(recording: recording, metadata: metadata, body: body, lastUse: uses)
    if entries.count > Self.limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      entries[oldest.key] = nil
    }
    return (metadata, body)
  }

  /// Closes those whose file is no longer the one that was indexed, and has them indexed again.
  func closeChanged() {
    for (name, entry) in entries where !entry.body.isUnchanged() {
      entries[name] = nil
      library.requestLook(at: entry.recording.path)
    }
  }

  /// Closes those of which `condition` does not hold.
  func keep(where condition: (Recording) -> Bool) {
    entries = entries.filter { condition($0.value.recording) }
  }
}
