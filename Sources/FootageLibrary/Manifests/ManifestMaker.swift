package import FootageAPI
internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// The maker of manifests. It makes one after another, on a thread that gets processor and disk only when no other work
/// needs them.
final class ManifestMaker: Sendable {
  /// The functions that the maker needs from the library. They do not keep the library alive.
  struct Library: Sendable {
    let place: LibraryPaths
    let clock: Clock
    /// The function that returns all recordings as they were last published.
    let snapshot: @Sendable () -> LibrarySnapshot
    /// The function that requests another examination of a file.
    let look: @Sendable (RelativePath) -> Void
    let log: @Sendable (LibraryEvent) -> Void
  }

  private let library: Library
  private let files: ManifestFiles
  private let signer: @Sendable () throws(ManifestSigningFailure) -> ManifestSigner
  /// True if every recording gets a manifest, whether or not it was requested.
  private let isAlwaysMade: Bool
  private let queue = Mutex(ManifestQueue())
  private let observers = Mutex<[@Sendable (ManifestNotice) -> Void]>([])
  private let worker = Worker("manifests")
  /// The manifest that could not be saved due to a lack of disk space, so that its recording need not be read again.
  private let unsaved = Mutex<(key: ManifestQueue.Key, manifest: SignedManifest)?>(nil)

  init(
    _ library: Library, always: Bool, signer: @escaping @Sendable () throws(ManifestSigningFailure) -> ManifestSigner
  ) {
    self.library = library
    files = ManifestFiles(place: library.place)
    self.signer = signer
    isAlwaysMade = always
  }

  /// - Throws: `SystemError` if the system has no threads left.
  func start() throws(SystemError) { try worker.start { [self] in turns() } }

  /// Stops the thread before it reads its next piece of a recording, and waits for it. Requests are forgotten.
  func stop() { worker.stop() }

  /// Adds an observer that is called on the maker's thread whenever a manifest was made or could not be made; it should
  /// be quick.
  func observe(_ tell: @escaping @Sendable (ManifestNotice) -> Void) { observers.withLock { $0.append(tell) } }

  /// Returns the manifest if it exists, and otherwise requests it. Blocks while it reads the manifest.
  ///
  /// - Parameter asker: the client, so that clients are served in turn; nil for no particular one.
  /// - Throws: `LibraryError`.
  func manifest(
    of recording: Recording, _ urgency: ManifestUrgency, by asker: Int? = nil
  ) throws(LibraryError) -> ManifestAnswer {
    guard let key = ManifestQueue.Key(recording) else { throw recording.notReady }
    if let made = try mapError(LibraryError.storage, try files.load(of: recording)) { return .ready(made) }
    do throws(ManifestSigningFailure) { _ = try signer() } catch {
      throw .noManifest(name: recording.name, reason: error.description)
    }
    let now = library.clock.uptimeNanoseconds
    let failure: LibraryError? = queue.withLock { queue in
      if let failure = queue.failure(of: key, now: now) { return failure }
      return queue.want(key, name: recording.name, urgency, by: asker) ? nil : .tooManyManifests
    }
    if let failure { throw failure }
    worker.wake()
    return .beingMade
  }

  // MARK: The thread

  private func turns() -> () -> Void {
    do throws(SystemError) { try Thread.yieldToOthers() } catch {
      library.log(.warning("manifests are made at normal priority: \(error)"))
    }
    var backlog = ManifestBacklog(files, isOn: isAlwaysMade)
    return { [self] in
      let now = library.clock.uptimeNanoseconds
      if let next = queue.withLock({ $0.next(now: now) }) {
        make(next.key, next.name)
      } else if let recording = backlog.next(library.snapshot, now: now, library.log),
        let key = ManifestQueue.Key(recording)
      {
        _ = queue.withLock { queue in
          queue.failure(of: key, now: now) == nil && queue.want(key, name: recording.name, .background)
        }
      } else {
        let isWaiting = isAlwaysMade || queue.withLock { !$0.isEmpty }
        let deadline = isWaiting ? Clock.system.deadline(after: LibraryLimits.manifestLook) : .never
        worker.sleep(until: deadline)
      }
    }
  }

  private func make(_ key: ManifestQueue.Key, _ name: String) {
    var result: Result<SignedManifest, LibraryError>
    let recording = library.snapshot().recording(named: name)
    do throws(LibraryError) {
      guard let recording, ManifestQueue.Key(recording) == key else {
        throw .unknown(name: name, folder: library.place.recordings)
      }
      guard let made = try made(of: recording, key) else { return }
      result = .success(made)
    } catch { result = .failure(error) }
    let now = library.clock.uptimeNanoseconds
    switch result {
    case .success: queue.withLock { $0.noteMade(key) }
    case .failure(let error):
      let isTransient =
        switch error {
        case .changed, .headDamaged, .indexDamaged: true
        case .storage(let error): error.isForWantOfRoom
        default: false
        }
      if isTransient, let recording { library.look(recording.path) }
      let isTriedAgain = queue.withLock { queue in
        guard isTransient else {
          queue.noteFailed(key, error, now: now)
          return false
        }
        return queue.notePostponed(key, error, now: now)
      }
      if isTriedAgain { return }
      if recording != nil { library.log(.warning("cannot make the manifest of \(name): \(error)")) }
    }
    let notice = ManifestNotice(name: name, tag: VersionTag(entityTag: key.tag), result: result)
    for tell in observers.withLock({ $0 }) { tell(notice) }
  }

  /// - Returns: nil if the maker was stopped.
  private func made(of recording: Recording, _ key: ManifestQueue.Key) throws(LibraryError) -> SignedManifest? {
    // A manifest that exists is never signed again.
    if let known = try mapError(LibraryError.storage, try files.load(of: recording)) { return known }
    if let kept = unsaved.withLock({ $0 }), kept.key == key { return try saved(kept.manifest, recording, key) }
    let signer = try mapError(
      { (error: ManifestSigningFailure) in LibraryError.noManifest(name: recording.name, reason: error.description) },
      try signer())
    let reading = ManifestReading(
      recording: recording, now: UnixTimestamp(nanoseconds: library.clock.unixNanoseconds), signer: signer
    ) { [self] in worker.isStopped }
    return try reading.make().map { (manifest) throws(LibraryError) in try saved(manifest, recording, key) }
  }

  private func saved(
    _ manifest: SignedManifest, _ recording: Recording, _ key: ManifestQueue.Key
  ) throws(LibraryError) -> SignedManifest {
    do throws(StorageError) { try files.save(manifest, of: recording) } catch {
      unsaved.withLock { $0 = (key, manifest) }
      throw .storage(error)
    }
    unsaved.withLock { $0 = nil }
    return manifest
  }
}

/// The answer to a request for a manifest.
package enum ManifestAnswer: Sendable {
  case ready(SignedManifest)
  /// The manifest is being made and will be available later.
  case beingMade
}

/// A notice that a manifest was made or could not be made.
package struct ManifestNotice: Sendable {
  /// The name of the recording.
  package let name: String
  package let tag: VersionTag
  package let result: Result<SignedManifest, LibraryError>
}
