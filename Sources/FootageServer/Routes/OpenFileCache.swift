internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The recordings that one loop holds open, so that a probe of two bytes opens no file.
///
/// Belongs to its loop's thread. What the library no longer has is closed on its word, so that a deleted recording
/// frees its disk as soon as the responses that still send it are over.
final class OpenFileCache {
  private final class Entry {
    /// The whole target, path and query, as it stood in the request that opened it.
    let target: [UInt8]
    /// What it names, as it is written best: another spelling of the same resource finds this entry by it, and needs no
    /// descriptors of its own. As bytes, since two spellings of `é` are equal strings, and two recordings.
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

  /// By the target's hash: what collides is opened anew, which costs time and nothing else.
  private var entries: [UInt64: Entry] = [:]
  private var uses: UInt64 = 0
  private let library: any RecordingOpener
  private let pool: ReadingPool

  /// Recordings held open; each costs two descriptors and the bytes that it has in memory.
  private let limit: Int

  private static let longestIdleSeconds = 60

  init(_ library: any RecordingOpener, pool: ReadingPool, limit: Int) {
    self.library = library
    self.pool = pool
    self.limit = limit
  }

  /// How many recordings are held open.
  var count: Int { entries.count }

  /// The body that is asked for with this target, if it is open. Reads neither path nor query.
  func body(at target: ArraySlice<UInt8>) -> RecordingBody? {
    let open = entries
    guard let entry = open[FNV1a.hash(target)], entry.target[...] == target else { return nil }
    return use(entry)
  }

  /// The same, whatever the target was by which it was opened. O(n) in what is open.
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

  /// Opens a recording, off the loop. It is kept only once `keep` is called for it.
  ///
  /// - Parameters:
  ///   - isForEver: whether it was asked for by its version.
  ///   - viewer: who asks, and whose turn it takes.
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

  /// Closes a recording that could not be read, and has it looked at again.
  func giveUp(_ body: RecordingBody) {
    guard !body.isGivenUp else { return }
    body.isGivenUp = true
    library.requestLook(at: body.recording.path)
    keep { !$0.body.sharesFiles(with: body) }
  }

  /// To be called once a second: closes what nobody has asked for in a while, so that its disk can be unmounted.
  func secondPassed() {
    guard !entries.isEmpty else { return }
    keep {
      $0.idleSeconds += 1
      return $0.idleSeconds < Self.longestIdleSeconds
    }
  }

  /// Closes those of which `condition` does not hold.
  func keep(where condition: (Recording) -> Bool) { keep { condition($0.recording) } }

  private func keep(_ condition: (Entry) -> Bool) {
    // Out of a copy: what is worked on in place is checked for exclusive access at every look.
    let all = entries
    entries = all.filter { condition($0.value) }
  }
}
