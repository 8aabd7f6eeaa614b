internal import FootageAPI
internal import FootageAnswers
internal import FootageBase
package import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The bytes of an open recording, as the body of a response.
@safe
package final class RecordingBody: ResponseBody {
  /// The owner of the file descriptors. A thread of the pool releases it, because closing the last descriptor of a
  /// deleted file frees its disk space, which takes half a second for a large file.
  private final class OpenFiles: Sendable {
    let representation: Representation

    init(_ representation: Representation) {
      self.representation = representation
      representation.beginSending()
    }

    deinit { representation.endSending() }
  }

  package let metadata: RepresentationMetadata
  package let memoryPrefixByteCount: UInt64
  let recording: Recording
  /// True if the recording could not be read, and must not be served again.
  var isGivenUp = false
  /// The copy for viewers whose responses no shared cache may keep; nil until one of them asks.
  private var ownCopy: RecordingBody?
  /// The place in the queue of views that this view occupies for as long as its file is open; nil for other bodies.
  var place: ViewerPlace?
  /// The open files. Safe because they are retained in `init`, and released by `deinit` or by the pool on its behalf.
  private let files: Unmanaged<OpenFiles>
  private let lifetime: Lifetime
  /// True if part of the bytes must be fetched over a network.
  private let isPartial: Bool
  private let pool: ReadingPool

  /// The time for which a cache may use the body.
  enum Lifetime {
    /// The body was requested by its version, so caches need not revalidate it (RFC 8246 §2).
    case forEver
    /// The body is valid until its tag changes.
    case revalidated
    /// The body is an answer to this request alone.
    case once
  }

  /// - Returns: nil if the entity tag is invalid.
  init?(_ representation: Representation, of recording: Recording, _ lifetime: Lifetime, pool: ReadingPool) {
    guard let entityTag = EntityTag(representation.entityTag) else { return nil }
    unsafe files = Unmanaged.passRetained(OpenFiles(representation))
    self.recording = recording
    self.pool = pool
    self.lifetime = lifetime
    isPartial = representation.bytes.isPartial
    memoryPrefixByteCount = representation.memoryPrefixByteCount
    metadata = RepresentationMetadata(
      length: representation.bytes.length, mediaType: representation.mediaType, entityTag: entityTag,
      lastModified: representation.lastModified, cacheControl: Self.cacheControl(lifetime, isShared: true))
  }

  /// Creates a body with the same bytes, from the same files, that caches must not keep for other clients.
  private init(ownCopyOf body: RecordingBody) {
    unsafe files = body.files.retain()
    recording = body.recording
    pool = body.pool
    lifetime = body.lifetime
    isPartial = body.isPartial
    memoryPrefixByteCount = body.memoryPrefixByteCount
    place = body.place
    let shared = body.metadata
    metadata = RepresentationMetadata(
      length: shared.length, mediaType: shared.mediaType, entityTag: shared.entityTag,
      lastModified: shared.lastModified, cacheControl: Self.cacheControl(body.lifetime, isShared: false))
  }

  private static func cacheControl(_ lifetime: Lifetime, isShared: Bool) -> String {
    let cacheability: Cacheability =
      switch lifetime {
      case .forEver: .forEver(isShared: isShared)
      case .revalidated: .revalidated(isShared: isShared)
      case .once: .never
      }
    return cacheability.text
  }

  /// Returns the body for a viewer with these rights; nil if they may not see the recording.
  func shown(to access: Access) -> RecordingBody? {
    guard access.cameras.contains(camera: recording.camera) else { return nil }
    guard !access.isShared else { return self }
    let copy = ownCopy ?? RecordingBody(ownCopyOf: self)
    ownCopy = copy
    return copy
  }

  /// Returns true if both bodies have the same open files.
  func sharesFiles(with other: RecordingBody) -> Bool {
    unsafe files.toOpaque() == other.files.toOpaque()
  }

  deinit { unsafe pool.release(files, then: place) }

  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int {
    do throws(StorageError) {
      switch unsafe try representation.bytes.readImmediately(at: offset, into: buffer) {
      case .bytes(let count): return count
      case .wouldBlock: return 0
      }
    } catch { throw Self.failure(error) }
  }

  package func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    try await read(at: offset, count: count, inTurnOf: nil)
  }

  package func read(at offset: UInt64, count: Int, for viewer: Viewer) async throws(ResponseBodyError) -> [UInt8] {
    try await read(at: offset, count: count, inTurnOf: viewer)
  }

  /// Reads bytes on a thread that may wait for the disk.
  private func read(
    at offset: UInt64, count: Int, inTurnOf viewer: Viewer?
  ) async throws(ResponseBodyError) -> [UInt8] {
    let composed = representation.bytes
    if isPartial {
      do throws(StorageError) {
        try await pool.fetch(for: viewer) { () throws(StorageError) in
          try await composed.prepare(at: offset, count: count)
        }
      } catch { throw Self.failure(error) }
    }
    do throws(StorageError) {
      return try await pool.run(for: viewer) { () throws(StorageError) in
        try composed.bytes(at: offset, count: count)
      }
    } catch { throw Self.failure(error) }
  }

  package func isUnchanged() -> Bool { representation.isUnchanged() }

  private var representation: Representation {
    @inline(__always) get { unsafe files._withUnsafeGuaranteedRef { $0.representation } }
  }

  private static func failure(_ error: StorageError) -> ResponseBodyError {
    switch error.reason {
    case .endOfFile, .changed: .changed(error.description)
    case .away: .away(error.description)
    default: .unreadable(error.description)
    }
  }
}
