/// The recordings of a folder: found, indexed, watched, and handed out.

package import FootageAPI
package import FootageBase
package import FootageSystem
internal import Synchronization

/// To be shared by all threads. What blocks says so; `snapshot` never does for longer than a copy takes.
package final class RecordingLibrary: Sendable {
  /// Where recordings, catalog, preambles and indexes are.
  package let place: LibraryPaths
  private let shared: Shared
  private let makingRoom = Worker("retention")
  private let manifests = Mutex<ManifestMaker?>(nil)
  private let log: @Sendable (LibraryEvent) -> Void
  /// Opened at the first look-up; not the worker's, which may be busy for long.
  private let counted = Mutex<(generation: UInt64, cameras: [CameraList.Camera])?>(nil)
  private let reader = Mutex<Catalog?>(nil)
  private let readerInode = Atomic<UInt64>(0)
  /// Held while a viewer's share is looked at and added to.
  let keeping = Mutex<Void>(())
  let role: LibraryRole
  /// What names say of camera and start.
  package let naming: RecordingNaming
  private let clock: Clock
  let examiner: any FileIndexer
  /// The films of what grows, and of what has grown within the last day.
  package let films = GrowingFilms()

  /// What the library and its thread have in common; the thread must not keep the library itself alive.
  private final class Shared: Sendable {
    let worker: Mutex<LibraryWorker>
    let stream: FolderChanges
    let thread: Worker
    let published: Mutex<LibrarySnapshot>
    let inbox: Inbox
    let condition = Mutex(LibraryCondition())
    /// When the turn began that the thread takes, in nanoseconds of the clock that never goes back; 0 between turns.
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

    /// Two threads that have each got theirs from the worker may come here in either order.
    let retention = Mutex(RetentionStatus())

    /// Changes what the worker knows, off its turns, and has it seen. Blocks until the turn is over.
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

    func publish(_ snapshot: LibrarySnapshot) {
      published.withLock { if snapshot.generation > $0.generation { $0 = snapshot } }
    }

  }

  /// What others want of the thread.
  private final class Inbox: Sendable {
    struct Requests {
      var looks: [RelativePath] = []
      var late: [LateExamination] = []
      var films: [GrowingFilmRow] = []
      var goneFilms: [FilmKey] = []
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

  /// Opens the library and loads what its catalog holds. Blocks.
  ///
  /// - Parameters:
  ///   - recordings: the folder, which has to be there.
  ///   - state: where catalog, preambles and indexes are; nil means `.footage` in the recordings folder. What cannot be written
  ///     gives way to a temporary folder, with a warning.
  ///   - derived: where catalog, preambles and indexes are: a command that only reads has its own.
  ///   - naming: what names say of camera and start.
  ///   - reading: who looks into files: child processes, or this process itself, which a file may then end.
  ///   - log: called from any thread, and not concurrently from the worker's.
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

  /// All recordings as they were last published.
  package var snapshot: LibrarySnapshot { shared.published.withLock { $0 } }

  /// How it is, as of its thread's last turn. Waits for no disk.
  package var condition: LibraryCondition {
    var condition = shared.condition.withLock { $0 }
    let began = shared.turnBegan.load(ordering: .relaxed)
    if began > 0 { condition.busyNanoseconds = max(0, clock.uptimeNanoseconds - began) }
    condition.indexerRestarts = examiner.restartCount
    condition.deletedCount = retention.deletedRecordings
    return condition
  }

  /// How much room there is where the recordings are. Blocks, for as long as the disk does not answer.
  ///
  /// - Throws: `LibraryError.folder`.
  package func space() throws(LibraryError) -> FileSystemSpace {
    try mapError(LibraryError.folder, try place.folder(.root).space())
  }

  /// What its clock says.
  package var now: UnixTimestamp { UnixTimestamp(nanoseconds: clock.unixNanoseconds) }

  /// Starts the thread that scans the folder, watches it, and publishes what it finds. To be called once.
  ///
  /// - Parameter onChange: called from that thread after each batch that changed something; should be quick.
  /// - Throws: `LibraryError.storage` where the system has no thread left.
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

  /// Ends the making of room, and waits for that; to be called before whoever is asked about the store ends.
  package func stopMakingRoom() { makingRoom.stop() }

  /// Ends the thread and waits for it. Without a thread it does nothing.
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
      // Who is told that everything was looked at finds it on the list.
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

  /// Scans the folder once and indexes what is new, on the calling thread: for a command that does not watch. Blocks.
  package func refresh() {
    let snapshot = shared.worker.withLock { worker in
      worker.scan(.root)
      while worker.storeBatch() {}
      return worker.snapshot
    }
    shared.publish(snapshot)
  }

  /// Has the thread look at a file of which more is wanted than is known, whatever its version.
  package func requestLook(at path: RelativePath) {
    shared.inbox.put { $0.looks.append(path) }
  }

  /// Has the thread take its turn now; for a clock that was moved.
  package func wake() { shared.stream.wake() }

  /// Opens the sample index of a recording (`SampleIndex`). One that is missing, damaged, or could not be stored, is made
  /// anew on the spot. Blocks: not for an event loop.
  ///
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` where none can be made of the file; `.indexDamaged`,
  ///   `.changed`, `.storage`.
  package func openIndex(of recording: Recording) throws(LibraryError) -> BoundComposition {
    try mending(recording) { (rebuilt) throws(LibraryError) in try recording.openIndex(rebuilt: rebuilt) }
  }

  /// Opens something of a recording, and has it indexed again where that shows to be necessary: a preamble or an index
  /// that is damaged, or could not be stored, is made anew on the spot.
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
          found.tag == content.tag
        else { throw error }
        return try open(examination.files)
      }
    } catch {
      if case .changed = error { requestLook(at: recording.path) }
      throw error
    }
  }

  /// The cameras of a snapshot, counted once however many ask. Blocks: not for an event loop.
  package func cameras(of snapshot: LibrarySnapshot) -> [CameraList.Camera] {
    counted.withLock { counted in
      if let counted, counted.generation == snapshot.generation { return counted.cameras }
      let cameras = snapshot.cameras
      counted = (snapshot.generation, cameras)
      return cameras
    }
  }

  /// A recording that the snapshot does not hold yet, because another process has just brought it in; nil where there
  /// is none. Blocks: reads the catalog and the file's status.
  package func lookUp(_ name: String) -> Recording? {
    if let known = snapshot.recording(named: name) { return known }
    let place = place
    let (naming, now) = (naming, now)
    // A state folder that was deleted, or lies on another disk now, has another catalog.
    let catalog = (try? FileStatus.of(place.catalog))?.version.inode
    let candidates = reader.withLock { reader -> [Recording] in
      if readerInode.exchange(catalog ?? 0, ordering: .relaxed) != catalog { reader = nil }
      if reader == nil { reader = try? Catalog.open(at: place, access: .readOnly) }
      let found = try? reader?.recordings(named: name, device: 0, naming: naming, now: now)
      // A catalog that was replaced meanwhile is opened anew the next time.
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

  /// The same for somebody who may see these cameras alone. A name that tells of another camera is looked up nowhere, so
  /// that what is hidden and what is not there take the same way and the same time. Blocks as `lookUp` does.
  package func lookUp(_ name: String, of cameras: CameraSelection) -> Recording? {
    if let known = VisibleRecordings(snapshot, of: cameras).recording(named: name) { return known }
    guard cameras.contains(camera: naming.meaning(of: name).camera) else { return nil }
    return lookUp(name).flatMap { cameras.contains(camera: $0.camera) ? $0 : nil }
  }

  /// Lends the worker to a test, while its thread waits.
  func withWorker<Result: Sendable>(_ body: (LibraryWorker) throws -> Result) rethrows -> Result {
    try shared.worker.withLock { worker in try body(worker) }
  }

  /// Changes what the worker knows, off its turns, and has it seen. Blocks until the turn is over.
  func change(_ body: (LibraryWorker) -> Void) { shared.change(body) }

  /// How making room goes, as of the last look. Never blocks.
  package var retention: RetentionStatus { shared.retention.withLock { $0 } }

  /// Starts the thread that makes room by these rules, and looks how long the room lasts; to be called once, when the
  /// library was started.
  ///
  /// - Throws: `LibraryError.storage` where the system has no thread left.
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

  /// What making room asks of this library; it does not keep the library itself alive.
  func retentionAccess(_ isStopped: @escaping @Sendable () -> Bool) -> RetentionWorker.Library {
    let (shared, place) = (shared, place)
    return RetentionWorker.Library(
      place: place, clock: clock,
      lend: { isChange, body in isChange ? shared.change(body) : shared.worker.withLock { body($0) } },
      look: { path in shared.inbox.put { $0.looks.append(path) } }, log: log,
      space: { try? place.folder(.root).space() },
      tell: { status in shared.retention.withLock { $0 = status } }, isStopped: isStopped)
  }

  /// Nil until manifests are made.
  var manifestMaker: ManifestMaker? { manifests.withLock { $0 } }

  /// Starts what makes manifests.
  ///
  /// - Parameter make: is handed what that asks of this library; it does not keep the library itself alive.
  func startManifests(_ make: (ManifestMaker.Library) -> ManifestMaker) throws(LibraryError) {
    let shared = shared
    let maker = make(
      ManifestMaker.Library(
        place: place, clock: clock, snapshot: { shared.published.withLock { $0 } },
        look: { path in shared.inbox.put { $0.looks.append(path) } }, log: log))
    do throws(SystemError) { try maker.start() } catch { throw .storage(StorageError(error)) }
    manifests.withLock { $0 = maker }
  }

  /// Looks at one file below the recordings folder now, and publishes and returns what comes of it. Blocks.
  func index(_ path: RelativePath) -> Recording? {
    let (recording, snapshot) = shared.worker.withLock { worker in
      let recording = worker.index(path)
      return (recording, worker.snapshot)
    }
    shared.publish(snapshot)
    return recording
  }
}

/// Where the bytes of files are looked into.
package enum FileReading: Sendable {
  /// In processes of their own, which a file may end.
  case inChildren
  case inProcess
}
