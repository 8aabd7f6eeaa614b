package import FootageAPI
package import FootageBase
internal import FootageMedia
internal import FootageSystem
internal import Synchronization

/// The film of a recording that is growing, or was within the last day. It has one ID from its first complete fragment
/// to its end, and for a while afterwards.
package final class GrowingFilm: Sendable {
  package let id: ItemTag
  let path: RelativePath
  /// The name of the recording.
  package let name: String
  let inode: UInt64
  /// The start of its presentation. It never changes, because playlists that were already served contain it.
  package let start: StartTime
  /// The flag that is cleared when its bytes are no longer those that were indexed.
  let validity = Recording.Validity()
  let storedIndex = VerifiedFile()
  private let state: Mutex<State>

  enum State: Sendable {
    case growing(Growth)
    /// The film is closed. It keeps its last fragments for `LibraryLimits.lingerNanoseconds`.
    case closed(ClosedFilm, last: Growth?)
  }

  /// The contents of a growing film at one moment.
  struct Growth: Sendable {
    /// The recorder's file, opened with the length that it had when the growth was examined.
    var file: RandomAccessFile
    var index: SampleIndex
    var source: GrownIndex
    /// The last fragments, for clients that follow the film as it grows.
    var fragments: ArraySlice<FilmFragment> = []
  }

  init(id: ItemTag, path: RelativePath, name: String, inode: UInt64, start: StartTime, _ state: State) {
    self.id = id
    self.path = path
    self.name = name
    self.inode = inode
    self.start = start
    self.state = Mutex(state)
  }

  /// The current state.
  var now: State { state.withLock { $0 } }

  func change(to state: State) { self.state.withLock { $0 = state } }

  /// True if the film will not grow any more.
  package var isClosed: Bool { if case .closed = now { true } else { false } }

  /// The growth that contains its last fragments; nil once they are no longer kept.
  var growth: Growth? {
    switch now {
    case .growing(let growth): growth
    case .closed(_, let last): last
    }
  }

  /// True if at least one segment is complete, so that its playlist is not empty.
  package var hasSegment: Bool {
    guard case .growing(let growth) = now else { return true }
    return growth.source.wholeSegments > 0
  }

  /// The end of its last complete fragment; nil once it is closed.
  package var end: UnixTimestamp? {
    guard case .growing(let growth) = now else { return nil }
    let milliseconds = growth.index.leading.timing.nanoseconds(growth.index.end) / 1_000_000
    return start.moment.advanced(byMilliseconds: milliseconds)
  }
}

/// The record of a film whose recorder has closed the file. The film's index is stored beside the other indexes, under
/// the film's ID.
struct ClosedFilm: Hashable, Sendable {
  /// The version of the recorder's file. The device may have changed since.
  let version: FileVersion
  /// The time when it was closed, in nanoseconds since 1970.
  let closedNanoseconds: Int64
  /// The length of its index in bytes.
  let indexLength: UInt64
  /// The SHA-256 of its index.
  let indexDigest: [UInt8]
}
