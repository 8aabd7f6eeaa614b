/// The recordings that one loop holds open, so that a probe of two bytes opens no file.

internal import HTTPSemantics
internal import Networking
internal import RecordingLibrary

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
  private let pool: BlockingPool

  /// Recordings held open; each costs two descriptors.
  private static let limit = 64

  init(pool: BlockingPool) { self.pool = pool }

  /// What a response needs of a recording; opens it, off the loop, where it is not open.
  func representation(of recording: Recording) async throws(LibraryError) -> (RepresentationMetadata, RecordingBody) {
    uses &+= 1
    if let entry = entries[recording.name], entry.recording === recording {
      entries[recording.name]?.lastUse = uses
      return (entry.metadata, entry.body)
    }
    let opened = await pool.run { () -> Result<Representation, LibraryError> in
      do throws(LibraryError) { return .success(try recording.open()) } catch { return .failure(error) }
    }
    let representation = try opened.get()
    let metadata = RepresentationMetadata(
      length: representation.slices.length, mediaType: representation.mediaType,
      entityTag: representation.entityTag, lastModified: representation.lastModified, cacheControl: "no-cache")
    let body = RecordingBody(representation: representation, pool: pool)
    entries[recording.name] = Entry(recording: recording, metadata: metadata, body: body, lastUse: uses)
    if entries.count > Self.limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      entries[oldest.key] = nil
    }
    return (metadata, body)
  }

  /// Whether a recording is open whose file is no longer the one that was indexed.
  func isChanged(_ recording: Recording) -> Bool { entries[recording.name]?.body.isUnchanged() == false }

  /// Closes those of which `condition` does not hold.
  func keep(where condition: (Recording) -> Bool) {
    entries = entries.filter { condition($0.value.recording) }
  }
}
