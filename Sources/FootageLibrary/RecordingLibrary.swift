/// The recordings of a folder: the library finds, indexes and watches them, and provides them to its users.

package import FootageAPI
package import FootageBase
package import FootageSystem
internal import Synchronization

/// A library of recordings, which all threads may share. Methods that block are documented as blocking; `snapshot` only
/// makes a copy.
package final class RecordingLibrary: Sendable {
  /// The paths of the recordings, catalog, preambles and indexes.
  package let place: LibraryPaths
  private let shared: Shared
  private let makingRoom = Worker("retention")
  private let manifests = Mutex<ManifestMaker?>(nil)
  private let log: @Sendable (LibraryEvent) -> Void
  /// The cameras as they were last counted, with the generation of the snapshot in which they were counted.
  private let counted = Mutex<(generation: UInt64, cameras: [CameraList.Camera])?>(nil)
  /// The catalog connection for lookups, which the first lookup opens. The worker's own connection may be in use for a
  /// long time.
  private let reader = Mutex<Catalog?>(nil)
  private let readerInode = Atomic<UInt64>(0)
  /// The lock that is held while a viewer's share is read and increased.
  let keeping = Mutex<Void>(())
  let role: LibraryRole
  /// The rules that derive camera and start from names.
  package let naming: RecordingNaming
  private let clock: Clock
  let examiner: any FileIndexer
  /// The indexes of tracks that films do not show.
  let trackIndexes = TrackIndexes()
  /// The films of recordings that are growing, or were growing within the last day.
  package let films = GrowingFilms()

  /// The state that the library shares with its thread. The thread must not keep the library itself alive.
  private final class Shared: Sendable {
    let worker: Mutex<LibraryWorker>
    let stream: FolderChanges
    let thread: Worker
    let published: Mutex<LibrarySnapshot>
    let inbox: Inbox
    let condition = Mutex(LibraryCondition())
    /// The start of the thread's current turn, in nanoseconds of the monotonic clock; 0 between turns.
    let turnBegan = Atomic<Int64>(0)
    let clock: Clock

    init(worker: sending LibraryWorker, stream: FolderChanges, inbox: Inbox, clock: Clock) {
      self.inbox = inbox
      self.clock = clock
      published = Mutex(worker.snapshot)
      self.worker = Mutex(worker)
      self.stream = stream
      thread = Worker("library") { stream.wake() }
    }

    let retention = Mutex(RetentionStatus())

    /// Changes the worker's state between its turns and publishes the result. Blocks until the current turn is over.
    func change(_ body: (LibraryWorker) -> Void) {
      let snapshot = worker.withLock { worker in
        body(worker)
        // A command has no turns.
        if worker.role == .command { while worker.storeBatch() {} }
        return worker.snapshot
      }
      publish(snapshot)
      stream.wake()
    }

    /// Publishes a snapshot unless a newer one is published already: two threads may call this in either order.
    func publish(_ snapshot: LibrarySnapshot) {
      published.withLock { if snapshot.generation > $0.generation { $0 = snapshot } }
    }

  }

  /// The requests of other threads to the library's thread.
  private final class Inbox: Sendable {
    struct Requests {
      var looks: [RelativePath] = []
      var late: [LateExamination] = []
      var films: [GrowingFilmRow] = []
      var goneFilms: [ItemTag] = []
    }

    private let requests = Mutex<Requests>(Requests())
    private let stream: FolderChanges

    init(_ stream: FolderChanges) { self.stream = stream }

    func put(_ request: (inout Requests) -> Void) {
      requests.withLock { request(&$0) }
      stream.wake()
    }

    func take() -> Requests {
      requests.withLock { requests in
        defer { (requests.looks, requests.late, requests.films, requests.goneFilms) = ([], [], [], []) }
        return requests
      }
    }
  }

  /// Opens the library and loads the contents of its catalog. Blocks.
  ///
  /// - Parameters:
  ///   - recordings: the folder, which must exist.
  ///   - state: the folder for catalog, preambles and indexes; nil means `.footage` in the recordings folder. If it is
  ///     not writable, a temporary folder replaces it, with a warning.
  ///   - derived: the place of catalog, preambles and indexes: a command that only reads has its own.
  ///   - naming: the rules that derive camera and start from names.
  ///   - reading: the process that reads the files: a child process, or this process, which a damaged file may then
  ///     crash.
  ///   - log: called from any thread; calls by the worker never overlap.
  /// - Throws: `LibraryError`: `.folder`, `.alreadyServed`, `.catalog`, `.storage`.
  package convenience init(
    recordings: String, state: String? = nil, derived: DerivedPlace = .inState, role: LibraryRole,
    naming: RecordingNaming = RecordingNaming(), clock: Clock = .system, reading: FileReading = .inChildren,
    log: @escaping @Sendable (LibraryEvent) -> Void
  ) throws(LibraryError) {
    let examiner: any FileIndexer =
      switch reading {
      case .inChildren: ChildFileIndexer()
      case .inProcess: LocalFileIndexer()
      }
    try self.init(
      recordings: recordings, state: state, derived: derived, role: role, naming: naming, clock: clock,
      examiner: examiner, log: log)
  }

  init(
    recordings: String, state: String? = nil, derived: DerivedPlace = .inState, role: LibraryRole,
    naming: RecordingNaming = RecordingNaming(), clock: Clock = .system, examiner: any FileIndexer,
    log: @escaping @Sendable (LibraryEvent) -> Void
  ) throws(LibraryError) {
    let folder = try mapError(LibraryError.folder, try FileTree.canonical(recordings))
    _ = try mapError(LibraryError.folder, try FolderListing.entries(of: folder))
    let stream = try mapError(
      { (error: SystemError) in LibraryError.storage(StorageError(error)) }, try FolderChanges())
    let opened = try StateDirectory.open(recordings: folder, state: state, derived: derived, role: role) {
      log(.warning($0))
    }
    let inbox = Inbox(stream)
    let worker = LibraryWorker(
      opened, stream: role == .server ? stream : nil, role: role, naming: naming, clock: clock, examiner: examiner,
      films: films, deliver: { look in inbox.put { $0.late.append(look) } }, log: log)
    self.naming = naming
    self.clock = clock
    self.log = log
    place = worker.place
    self.role = role
    self.examiner = examiner
    shared = Shared(worker: worker, stream: stream, inbox: inbox, clock: clock)
  }

  deinit { stop() }

  /// The recordings as they were last published.
  package var snapshot: LibrarySnapshot { shared.published.withLock { $0 } }

  /// The library's condition as of its thread's last turn. Reading it does not wait for a disk.
  package var condition: LibraryCondition {
    var condition = shared.condition.withLock { $0 }
    let began = shared.turnBegan.load(ordering: .relaxed)
    if began > 0 { condition.busyNanoseconds = max(0, clock.uptimeNanoseconds - began) }
    condition.indexerRestarts = examiner.restartCount
    condition.deletedCount = retention.deletedRecordings
    return condition
  }

  /// Returns the space on the file system of the recordings. Blocks for as long as the disk does not respond.
  ///
  /// - Throws: `LibraryError.folder`.
  package func space() throws(LibraryError) -> FileSystemSpace {
    try mapError(LibraryError.folder, try place.folder(.root).space())
  }

  /// The time of the library's clock.
  package var now: UnixTimestamp { UnixTimestamp(nanoseconds: clock.unixNanoseconds) }

  /// Starts the thread that scans the folder, watches it, and publishes the results. Call this once.
  ///
  /// - Parameter onChange: called on that thread after each batch that changed something; should be quick.
  /// - Throws: `LibraryError.storage` if the system has no threads left.
  package func start(
    onChange: @escaping @Sendable (LibrarySnapshot) -> Void
  ) throws(LibraryError) {
    let shared = shared
    do throws(SystemError) {
      let former = films.restore(shared.worker.withLock { $0.loadFilms() })
      let (films, place, examiner, clock, naming, log) = (films, place, examiner, clock, naming, log)
      films.start(
        try GrowthThread { stream in
          GrowthWatcher(
            films, place, by: examiner, stream: stream, clock: clock, naming: naming, former: former, log: log,
            save: { rows, gone in
              shared.inbox.put {
                $0.films += rows
                $0.goneFilms += gone
              }
            },
            look: { path in shared.inbox.put { $0.looks.append(path) } })
        })
      try shared.thread.start { Self.turns(of: shared, onChange) }
    } catch { throw .storage(StorageError(error)) }
  }

  /// Stops making room and waits for its thread. Call this before stopping the store's checker, because retention asks
  /// the checker.
  package func stopMakingRoom() { makingRoom.stop() }

  /// Stops the thread and waits for it. Does nothing if the thread was not started.
  package func stop() {
    stopMakingRoom()
    manifestMaker?.stop()
    examiner.stop()
    films.stop()
    shared.thread.stop()
  }

  private static func turns(
    of shared: Shared, _ onChange: @escaping @Sendable (LibrarySnapshot) -> Void
  ) -> () -> Void {
    var generation: UInt64?
    let mounts = MountTable()
    var haveMountsChanged = true
    return {
      let requests = shared.inbox.take()
      shared.turnBegan.store(max(1, shared.clock.uptimeNanoseconds), ordering: .relaxed)
      let (pause, snapshot, condition) = shared.worker.withLock { worker in
        if haveMountsChanged, let mounts { worker.noteMounts(mounts) }
        worker.saveFilms(requests.films, removals: requests.goneFilms)
        let pause = worker.turn(requested: requests.looks, late: requests.late)
        return (pause, worker.snapshot, worker.condition)
      }
      shared.turnBegan.store(0, ordering: .relaxed)
      // Publish first, so that a client that learns from the condition that all files were examined finds them listed.
      shared.publish(snapshot)
      shared.condition.withLock { $0 = condition }
      if snapshot.generation != generation {
        generation = snapshot.generation
        onChange(snapshot)
      }
      haveMountsChanged = shared.stream.wait(
        milliseconds: pause.milliseconds, onlyForWake: pause.isGathering, mounts: mounts)
    }
  }

  /// Scans the folder once and indexes new files on the calling thread, for a command that does not watch. Blocks.
  package func refresh() {
    let snapshot = shared.worker.withLock { worker in
      worker.scan(.root)
      while worker.storeBatch() {}
      return worker.snapshot
    }
    shared.publish(snapshot)
  }

  /// Requests another examination of a file, even if its version has not changed, because more facts about it are
  /// needed.
  package func requestLook(at path: RelativePath) {
    shared.inbox.put { $0.looks.append(path) }
  }

  /// Starts a turn of the thread now, for use after a clock was moved.
  package func wake() { shared.stream.wake() }

  /// Opens the sample index of a recording (`SampleIndex`). An index that is missing, damaged, or could not be stored
  /// is rebuilt at once. Blocks: do not call on an event loop.
  ///
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` if no index can be made for the file; `.indexDamaged`,
  ///   `.changed`, `.storage`.
  package func openIndex(of recording: Recording) throws(LibraryError) -> BoundComposition {
    try mending(recording) { (rebuilt) throws(LibraryError) in try recording.openIndex(rebuilt: rebuilt) }
  }

  /// Opens a file that belongs to a recording, and requests an examination of the recording if that fails. A preamble
  /// or index that is damaged, or could not be stored, is rebuilt at once.
  package func mending<Opened>(
    _ recording: Recording, _ open: (_ rebuilt: DerivedFiles?) throws(LibraryError) -> Opened
  ) throws(LibraryError) -> Opened {
    do throws(LibraryError) {
      do throws(LibraryError) {
        return try open(nil)
      } catch {
        switch error {
        case .headDamaged, .indexDamaged: break
        default: throw error
        }
        if case .store(let store) = recording.whereabouts { return try open(try store.derivedFiles(of: recording)) }
        requestLook(at: recording.path)
        let (file, content) = try recording.openFile()
        let examination = FileExamination.of(file, isQuickTime: recording.path.isQuickTime, by: examiner)
        guard case .report(let report) = examination.outcome, case .ready(let found) = report.verdict,
          content.hasTag(of: found)
        else { throw error }
        return try open(examination.files)
      }
    } catch {
      if case .changed = error { requestLook(at: recording.path) }
      throw error
    }
  }

  /// Returns the cameras of a snapshot, counted once for all callers. Blocks: do not call on an event loop.
  package func cameras(of snapshot: LibrarySnapshot) -> [CameraList.Camera] {
    counted.withLock { counted in
      if let counted, counted.generation == snapshot.generation { return counted.cameras }
      let cameras = snapshot.cameras
      counted = (snapshot.generation, cameras)
      return cameras
    }
  }

  /// Returns a recording that may not be in the snapshot yet because another process has just imported it; nil if there
  /// is none. Blocks while it reads the catalog and the file's status.
  package func lookUp(_ name: String) -> Recording? {
    if let known = snapshot.recording(named: name) { return known }
    let place = place
    let (naming, now) = (naming, now)
    // If the state folder was deleted, or is now on another disk, it has a different catalog.
    let catalog = (try? FileStatus.of(place.catalog))?.version.inode
    let candidates = reader.withLock { reader -> [Recording] in
      if readerInode.exchange(catalog ?? 0, ordering: .relaxed) != catalog { reader = nil }
      if reader == nil { reader = try? Catalog.open(at: place, access: .readOnly) }
      let found = try? reader?.recordings(named: name, device: 0, naming: naming, now: now)
      // If the catalog was replaced meanwhile, the next lookup opens it again.
      if found == nil { reader = nil }
      return found ?? []
    }
    for candidate in candidates {
      guard let status = try? place.status(of: candidate.path), status.kind == .regular,
        let recording = candidate.at(status.version)
      else { continue }
      requestLook(at: recording.path)
      return recording
    }
    return nil
  }

  /// Returns a recording as `lookUp` does, for a viewer with access to only these cameras. A name that belongs to
  /// another camera is not looked up. Hidden and missing recordings therefore take the same steps and the same time.
  /// Blocks as `lookUp` does.
  package func lookUp(_ name: String, of cameras: CameraSelection) -> Recording? {
    if let known = VisibleRecordings(snapshot, of: cameras).recording(named: name) { return known }
    guard cameras.contains(camera: naming.meaning(of: name).camera) else { return nil }
    return lookUp(name).flatMap { cameras.contains(camera: $0.camera) ? $0 : nil }
  }

  /// Runs `body` with the worker, between two turns of the library's thread. Blocks until the current turn is over.
  func withWorker<Result: Sendable>(_ body: (LibraryWorker) throws -> Result) rethrows -> Result {
    try shared.worker.withLock { worker in try body(worker) }
  }

  /// Changes the worker's state between its turns and publishes the result. Blocks until the current turn is over.
  func change(_ body: (LibraryWorker) -> Void) { shared.change(body) }

  /// The status of retention, as of its last check. Never blocks.
  package var retention: RetentionStatus { shared.retention.withLock { $0 } }

  /// Starts the thread that makes room by these rules and forecasts how long the room will last. Call this once, after
  /// starting the library.
  ///
  /// - Throws: `LibraryError.storage` if the system has no threads left.
  package func makeRoom(by rules: RetentionRules) throws(LibraryError) {
    let thread = makingRoom
    let access = retentionAccess { thread.isStopped }
    do throws(SystemError) {
      try thread.start {
        let worker = RetentionWorker(access, rules: rules)
        return { thread.sleep(until: Clock.system.deadline(after: worker.turn())) }
      }
    } catch { throw .storage(StorageError(error)) }
  }

  /// Returns the functions that retention needs from this library, without keeping the library itself alive.
  func retentionAccess(_ isStopped: @escaping @Sendable () -> Bool) -> RetentionWorker.Library {
    let (shared, place) = (shared, place)
    return RetentionWorker.Library(
      place: place, clock: clock,
      lend: { isChange, body in isChange ? shared.change(body) : shared.worker.withLock { body($0) } },
      look: { path in shared.inbox.put { $0.looks.append(path) } }, log: log,
      space: { try? place.folder(.root).space() },
      tell: { status in shared.retention.withLock { $0 = status } }, isStopped: isStopped)
  }

  /// The maker of manifests; nil until it is started.
  var manifestMaker: ManifestMaker? { manifests.withLock { $0 } }

  /// Starts making manifests.
  ///
  /// - Parameter make: receives the functions that the maker needs from this library; they do not keep the library
  ///   itself alive.
  func startManifests(_ make: (ManifestMaker.Library) -> ManifestMaker) throws(LibraryError) {
    let shared = shared
    let maker = make(
      ManifestMaker.Library(
        place: place, clock: clock, snapshot: { shared.published.withLock { $0 } },
        look: { path in shared.inbox.put { $0.looks.append(path) } }, log: log))
    do throws(SystemError) { try maker.start() } catch { throw .storage(StorageError(error)) }
    manifests.withLock { $0 = maker }
  }

  /// Examines one file below the recordings folder now, and publishes and returns the result. Blocks.
  func index(_ path: RelativePath) -> Recording? {
    let (recording, snapshot) = shared.worker.withLock { worker in
      let recording = worker.index(path)
      return (recording, worker.snapshot)
    }
    shared.publish(snapshot)
    return recording
  }
}

/// The process that reads the bytes of files.
package enum FileReading: Sendable {
  /// A child process, so that a damaged file can crash only that process.
  case inChildren
  case inProcess
}
