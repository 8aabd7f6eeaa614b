internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The recordings that one loop holds open, so that a request for a few bytes need not open a file.
///
/// Belongs to its loop's thread. Recordings that the library no longer has are closed when the library reports it. The
/// disk space of a deleted recording is thus freed as soon as the last response with it has ended.
final class OpenFileCache {
  private final class Entry {
    /// The complete target, path and query, of the request that opened the recording.
    let target: [UInt8]
    /// The normalized target of the resource. A request with another spelling of the target finds this entry, so the
    /// recording is not opened twice. It is kept as bytes, because two spellings of `é` are equal strings but different
    /// recordings.
    let resource: [UInt8]
    let recording: Recording
    let body: RecordingBody
    var lastUse: UInt64 = 0
    var idleSeconds = 0

    init(target: [UInt8], resource: Resource, recording: Recording, body: RecordingBody) {
      self.target = target
      self.resource = Array(resource.target.utf8)
      self.recording = recording
      self.body = body
    }
  }

  /// The entries by the hashes of their targets. If two hashes are equal, only one of the recordings is held open,
  /// which costs only time.
  private var entries: [UInt64: Entry] = [:]
  private var uses: UInt64 = 0
  private let library: any RecordingOpener
  private let pool: ReadingPool

  /// The maximum number of recordings that are held open. Each costs two descriptors and the bytes that it keeps in
  /// memory.
  private let limit: Int

  private static let longestIdleSeconds = 60

  init(_ library: any RecordingOpener, pool: ReadingPool, limit: Int) {
    self.library = library
    self.pool = pool
    self.limit = limit
  }

  /// The number of recordings that are held open.
  var count: Int { entries.count }

  /// Returns the body for this target, if it is open. Parses neither path nor query.
  func body(at target: ArraySlice<UInt8>) -> RecordingBody? {
    let open = entries
    guard let entry = open[FNV1a.hash(target)], entry.target[...] == target else { return nil }
    return use(entry)
  }

  /// Returns the body of a resource, even if it was opened with another spelling of the target. O(n) in the number of
  /// open recordings.
  func body(of resource: Resource) -> RecordingBody? {
    let resource = Array(resource.target.utf8)
    return entries.values.first { $0.resource == resource }.map { use($0) }
  }

  private func use(_ entry: Entry) -> RecordingBody {
    uses &+= 1
    entry.lastUse = uses
    entry.idleSeconds = 0
    return entry.body
  }

  /// Opens a recording on another thread. It is held open only after `keep` is called for it.
  ///
  /// - Parameters:
  ///   - isForEver: true if it was requested by its version.
  ///   - viewer: the viewer in whose turn the recording is opened.
  func open(_ recording: Recording, isForEver: Bool, for viewer: Viewer) async throws(LibraryError) -> RecordingBody {
    let library = library
    let opened = try await pool.run(for: viewer) { () throws(LibraryError) in try library.open(recording) }
    guard let body = RecordingBody(opened, of: recording, isForEver ? .forEver : .revalidated, pool: pool) else {
      throw .headDamaged(name: recording.name)
    }
    return body
  }

  /// Holds a recording open for the next requests with this target.
  func keep(_ body: RecordingBody, of resource: Resource, at target: ArraySlice<UInt8>) {
    uses &+= 1
    let entry = Entry(target: Array(target), resource: resource, recording: body.recording, body: body)
    entry.lastUse = uses
    var longer = entries
    longer[FNV1a.hash(target)] = entry
    if longer.count > limit, let oldest = longer.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      longer[oldest.key] = nil
    }
    entries = longer
  }

  /// Closes a recording that could not be read, and requests an examination of its file.
  func giveUp(_ body: RecordingBody) {
    guard !body.isGivenUp else { return }
    body.isGivenUp = true
    library.requestLook(at: body.recording.path)
    keep { !$0.body.sharesFiles(with: body) }
  }

  /// Closes recordings that were not requested for a minute, so that their disks can be unmounted. Call it once a
  /// second.
  func secondPassed() {
    guard !entries.isEmpty else { return }
    keep {
      $0.idleSeconds += 1
      return $0.idleSeconds < Self.longestIdleSeconds
    }
  }

  /// Closes the recordings that do not meet the condition.
  func keep(where condition: (Recording) -> Bool) { keep { condition($0.recording) } }

  private func keep(_ condition: (Entry) -> Bool) {
    // This filters a copy, because every access in place is checked for exclusivity.
    let all = entries
    entries = all.filter { condition($0.value) }
  }
}
