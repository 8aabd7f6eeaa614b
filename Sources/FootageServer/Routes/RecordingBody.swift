internal import FootageAPI
internal import FootageAnswers
internal import FootageBase
package import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The bytes of an open recording as a response's body.
@safe
package final class RecordingBody: ResponseBody {
  /// What holds the descriptors. It goes on a thread of the pool: closing the last descriptor of a deleted file frees
  /// its disk, which takes half a second where it is a large one.
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
  /// Whether it could not be read, and is not to be handed out again.
  var isGivenUp = false
  /// The same for those whose copy nobody else may get, once one of them has asked.
  private var ownCopy: RecordingBody?
  /// Of a view, whose descriptor counts for as long as it is open.
  var place: ViewerPlace?
  /// Safe because it was retained in `init` and is released by `deinit`, or by the pool for it.
  private let files: Unmanaged<OpenFiles>
  private let lifetime: Lifetime
  /// Whether some of it has to come over a network.
  private let isPartial: Bool
  private let pool: ReadingPool

  /// For how long it is what it is.
  enum Lifetime {
    /// It was asked for by its version, so that no cache need ask again (RFC 8246 §2).
    case forEver
    /// Until its tag is another one.
    case revalidated
    /// It is an answer to this request alone.
    case once
  }

  /// - Returns: nil where the entity tag is none.
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

  /// The same bytes, out of the same files, which no cache may keep for others.
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

  /// What somebody gets of it: nil where they may not see the recording.
  func shown(to access: Access) -> RecordingBody? {
    guard access.cameras.contains(camera: recording.camera) else { return nil }
    guard !access.isShared else { return self }
    let copy = ownCopy ?? RecordingBody(ownCopyOf: self)
    ownCopy = copy
    return copy
  }

  /// Whether this and another are the same open files.
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

  /// On a thread that may wait for the disk.
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
