internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The present state of the recordings folder, as known to the library. The parts of the library's thread share it.
///
/// It is not Sendable: it belongs to its worker.
final class FolderModel {
  let place: LibraryPaths
  let role: LibraryRole
  /// The rules that derive camera and start from names.
  let naming: RecordingNaming
  /// The films of growing recordings.
  let films: GrowingFilms
  let clock: Clock
  let log: @Sendable (LibraryEvent) -> Void

  /// The recordings by path and by name, with the file that has each name.
  var registry = RecordingRegistry([])
  /// The schedule of examinations of files.
  var schedule = IndexSchedule()
  var watcher: FolderWatcher
  /// The paths whose rows are out of date.
  var unsaved: Set<RelativePath> = []
  /// The record of files for retention.
  var ledger = RetentionLedger()
  /// True if the folder was listed since the start.
  var hasScanned = false
  var isFolderMissing = false
  /// The video files in the folder that are not MP4.
  private var foreignCounts = ForeignFileCounts()
  private(set) var foreign = ForeignFiles()
  private var hasToldForeign = false

  /// The events that were logged already, so that each is logged only once.
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

  /// The time of the clock.
  var now: UnixTimestamp { UnixTimestamp(nanoseconds: clock.unixNanoseconds) }

  func milliseconds(since started: Int64) -> Int {
    Int((clock.uptimeNanoseconds - started) / 1_000_000)
  }

  /// True if every file in the folder has been examined, so that the oldest known recording is the oldest one in the
  /// folder.
  var isSettled: Bool { hasScanned && !schedule.hasBacklog && !isFolderMissing }

  /// Logs an event unless it was logged before.
  func tell(_ event: LibraryEvent) {
    if told.count > 10_000 { told = [] }
    if told.insert(event).inserted { log(event) }
  }

  /// Changes the counts of the files that are not MP4. The first of them is logged; later ones are in the health.
  func changeForeign(_ change: (inout ForeignFileCounts) -> Void) {
    let before = foreignCounts
    change(&foreignCounts)
    guard foreignCounts != before else { return }
    foreign = foreignCounts.total
    guard role == .server, !hasToldForeign, let sentence = foreign.sentence else { return }
    hasToldForeign = true
    log(.warning(sentence))
  }

  // MARK: Notes on a recording

  /// Publishes the owner of a recording's protection.
  func mark(_ path: RelativePath, keeper: Keeper?) {
    guard let known = registry[path], known.keeper != keeper else { return }
    _ = registry.put(known.with(keeper: keeper))
    if known.state == .ready { unsaved.insert(path) }
  }

  /// Evaluates a recording's name and creation time. Call this when a recording was added or examined again.
  func noteNaming(of path: RelativePath) {
    markSharedCreation(of: path)
    guard let recording = registry[path], let warning = namingNotes.warning(about: recording, naming, now: now) else {
      return
    }
    log(.warning(warning))
  }

  /// Derives the start of a recording again without its creation time, because another recording has the same one. Does
  /// the same for that recording.
  private func markSharedCreation(of path: RelativePath) {
    for path in registry.claimCreation(path) {
      guard let recording = registry[path] else { continue }
      _ = registry.put(recording.withSharedCreation(naming, now: now))
      unsaved.insert(path)
    }
  }

  /// Records that a scan or an examination found a file.
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

  /// The time when this program was built, in nanoseconds since 1970. A clock that shows an earlier time is not set.
  static let buildNanoseconds = Process.buildSeconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
}

/// The naming warnings that were already logged. A robot that names a thousand files wrongly causes only one warning.
struct NamingNotes {
  private var hasToldLayout = false
  private var hasToldFuture = false

  /// Returns a warning about a recording's name, if that kind of warning has not been returned before.
  mutating func warning(about recording: Recording, _ naming: RecordingNaming, now: UnixTimestamp) -> String? {
    if let layout = naming.layout, !hasToldLayout, !naming.meaning(of: recording.ownName).isByLayout {
      hasToldLayout = true
      return
        "the layout \(layout.text) does not fit the name \(recording.name): such names are read by the default rules"
    }
    if recording.isInFuture(at: now), !hasToldFuture {
      hasToldFuture = true
      return "\(recording.name) begins at \(recording.startedAt.rfc3339), ahead of the clock: the clock is wrong, or "
        + "the name is in a different zone than \(naming.zone.name) (--name-zone)"
    }
    return nil
  }
}

extension Recording {
  /// The name that the file would have if no other file had the same name.
  fileprivate var ownName: String { contestedName ?? name }

  /// Returns the same recording with its creation time no longer used as evidence of its start.
  func withSharedCreation(_ naming: RecordingNaming, now: UnixTimestamp) -> Recording {
    let witnesses = TimeWitnesses(
      creationSeconds: creationSeconds, isCreationShared: true, modifiedNanoseconds: version.modifiedNanoseconds,
      duration: duration)
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered,
      start: naming.meaning(of: ownName).start(witnesses, now: now), creationSeconds: creationSeconds,
      isCreationShared: true, duration: duration, video: video, audio: audio, severalVideoTracks: severalVideoTracks,
      version: version,
      changedNanoseconds: changedNanoseconds, content: content, film: film, place: place, keeper: keeper,
      whereabouts: whereabouts, robot: robot, validity: validity)
  }
}
