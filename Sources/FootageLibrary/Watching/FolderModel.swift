internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// What is known of the recordings folder just now, which the parts of the library's thread work on together.
///
/// Not Sendable: it belongs to its worker.
final class FolderModel {
  let place: LibraryPaths
  let role: LibraryRole
  /// What names say of camera and start.
  let naming: RecordingNaming
  /// The films of what grows.
  let films: GrowingFilms
  let clock: Clock
  let log: @Sendable (LibraryEvent) -> Void

  /// The recordings by path and by name, with who has which name.
  var registry = RecordingRegistry([])
  /// When which file is looked at.
  var schedule = IndexSchedule()
  var watcher: FolderWatcher
  /// Paths whose rows are not what is known.
  var unsaved: Set<RelativePath> = []
  /// What is remembered of files for those who make room.
  var ledger = RetentionLedger()
  /// Whether the folder was listed since the start.
  var hasScanned = false
  var isFolderMissing = false

  /// So that each scan does not say the same again.
  private var told: Set<LibraryEvent> = []
  private var namingNotes = NamingNotes()

  init(
    _ place: LibraryPaths, role: LibraryRole, naming: RecordingNaming, films: GrowingFilms, stream: FolderChanges?,
    clock: Clock, log: @escaping @Sendable (LibraryEvent) -> Void
  ) {
    self.place = place
    self.role = role
    self.naming = naming
    self.films = films
    self.clock = clock
    self.log = log
    watcher = FolderWatcher(stream, place)
  }

  var snapshot: LibrarySnapshot { registry.snapshot }

  /// What the clock says.
  var now: UnixTimestamp { UnixTimestamp(nanoseconds: clock.unixNanoseconds) }

  func milliseconds(since started: Int64) -> Int {
    Int((clock.uptimeNanoseconds - started) / 1_000_000)
  }

  /// Whether everything that lies there was looked at, so that the oldest of it is the oldest.
  var isSettled: Bool { hasScanned && !schedule.hasBacklog && !isFolderMissing }

  /// Says something once.
  func tell(_ event: LibraryEvent) {
    if told.count > 10_000 { told = [] }
    if told.insert(event).inserted { log(event) }
  }

  // MARK: What is noted of a recording

  /// Has everybody see whose protection a recording has.
  func mark(_ path: RelativePath, keeper: Keeper?) {
    guard let known = registry[path], known.keeper != keeper else { return }
    _ = registry.put(known.with(keeper: keeper))
    if known.state == .ready { unsaved.insert(path) }
  }

  /// Takes in what a recording's name and creation time say: to be called when it came, or was judged anew.
  func noteNaming(of path: RelativePath) {
    markSharedCreation(of: path)
    guard let recording = registry[path], let warning = namingNotes.warning(about: recording, naming, now: now) else {
      return
    }
    log(.warning(warning))
  }

  /// Judges the start of a recording anew, and of the one that has the same creation time, if there is one.
  private func markSharedCreation(of path: RelativePath) {
    for path in registry.claimCreation(path) {
      guard let recording = registry[path] else { continue }
      _ = registry.put(recording.withSharedCreation(naming, now: now))
      unsaved.insert(path)
    }
  }

  /// A file was met by a scan or a look.
  func noteSighting(_ path: RelativePath, _ status: FileStatus) {
    let known = registry[path]
    let isOther =
      known.map { known in
        known.state == .ready && known.version.inode == status.version.inode
          && (known.version.size != status.version.size
            || known.version.modifiedNanoseconds != status.version.modifiedNanoseconds)
      } ?? false
    let wall = clock.unixNanoseconds
    ledger.note(
      path, status, isOther: isOther, uptime: hasScanned ? clock.uptimeNanoseconds : nil,
      wall: wall >= Self.buildNanoseconds ? wall : nil)
  }

  /// When this program was built, in nanoseconds since 1970: a clock that is behind that is not set.
  static let buildNanoseconds = Process.buildSeconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
}

/// What was said about names; a robot that names a thousand files wrongly needs to hear it once.
struct NamingNotes {
  private var hasToldLayout = false
  private var hasToldFuture = false

  /// The first time that there is something to say.
  mutating func warning(about recording: Recording, _ naming: RecordingNaming, now: UnixTimestamp) -> String? {
    if let layout = naming.layout, !hasToldLayout, !naming.meaning(of: recording.ownName).isByLayout {
      hasToldLayout = true
      return "the layout \(layout.text) does not fit the name \(recording.name): such names are read by the usual rules"
    }
    if recording.isInFuture(at: now), !hasToldFuture {
      hasToldFuture = true
      return "\(recording.name) begins at \(recording.startedAt.rfc3339), ahead of the clock: the clock is wrong, or "
        + "the name is in another zone than \(naming.zone.name) (--name-zone)"
    }
    return nil
  }
}

extension Recording {
  /// The name that the file would have by itself.
  fileprivate var ownName: String { contestedName ?? name }

  /// The same, whose creation time is no witness of its start any more.
  func withSharedCreation(_ naming: RecordingNaming, now: UnixTimestamp) -> Recording {
    let witnesses = TimeWitnesses(
      creationSeconds: creationSeconds, isCreationShared: true, modifiedNanoseconds: version.modifiedNanoseconds,
      duration: duration)
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered,
      start: naming.meaning(of: ownName).start(witnesses, now: now), creationSeconds: creationSeconds,
      isCreationShared: true, duration: duration, video: video, audio: audio, version: version,
      changedNanoseconds: changedNanoseconds, content: content, film: film, place: place, keeper: keeper,
      whereabouts: whereabouts, validity: validity)
  }
}
