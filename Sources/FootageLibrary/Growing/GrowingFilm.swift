package import FootageAPI
package import FootageBase
internal import FootageMedia
internal import FootageSystem
internal import Synchronization

/// The film of a recording that grows, or has grown within the last day: under one ID from its first whole fragment to
/// its end, and for a while afterwards.
package final class GrowingFilm: Sendable {
  package let id: FilmKey
  let path: RelativePath
  /// Of the recording.
  package let name: String
  let inode: UInt64
  /// Of its presentation; fixed, since playlists that were given say it.
  package let start: StartTime
  /// Whether its bytes are still those that were indexed.
  let validity = Recording.Validity()
  let storedIndex = VerifiedFile()
  private let state: Mutex<State>

  enum State: Sendable {
    case growing(Growth)
    /// With its last fragments, for a moment.
    case closed(ClosedFilm, last: Growth?)
  }

  /// What there is of it at one moment, as long as it grows.
  struct Growth: Sendable {
    /// The recorder's file, as long as it was when it was looked at.
    var file: RandomAccessFile
    var index: SampleIndex
    var source: GrownIndex
    /// The last ones.
    var fragments: ArraySlice<FilmFragment> = []
  }

  init(id: FilmKey, path: RelativePath, name: String, inode: UInt64, start: StartTime, _ state: State) {
    self.id = id
    self.path = path
    self.name = name
    self.inode = inode
    self.start = start
    self.state = Mutex(state)
  }

  /// As it is now.
  var now: State { state.withLock { $0 } }

  func change(to state: State) { self.state.withLock { $0 = state } }

  /// Whether nothing more comes.
  package var isClosed: Bool { if case .closed = now { true } else { false } }

  /// What its last fragments are out of; nil where they are no longer kept.
  var growth: Growth? {
    switch now {
    case .growing(let growth): growth
    case .closed(_, let last): last
    }
  }

  /// Whether a segment of it is whole, so that its playlist lists one.
  package var hasSegment: Bool {
    guard case .growing(let growth) = now else { return true }
    return growth.source.wholeSegments > 0
  }

  /// When its last whole fragment ends; nil once it is closed.
  package var end: UnixTimestamp? {
    guard case .growing(let growth) = now else { return nil }
    let milliseconds = growth.index.leading.timing.nanoseconds(growth.index.end) / 1_000_000
    return start.moment.advanced(byMilliseconds: milliseconds)
  }
}

/// What is kept of a film whose recorder has closed the file: its index stands beside the others, under its ID.
struct ClosedFilm: Hashable, Sendable {
  /// Of the recorder's file; its device may be another one by now.
  let version: FileVersion
  /// When it was closed, in nanoseconds since 1970.
  let closedNanoseconds: Int64
  /// In bytes.
  let indexLength: UInt64
  /// SHA-256.
  let indexDigest: [UInt8]
}
