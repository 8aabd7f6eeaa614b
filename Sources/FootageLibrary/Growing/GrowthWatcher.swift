internal import FootageDigest
internal import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The watcher of growing files: it examines them whenever they have grown, makes their films, and closes them. It
/// belongs to its thread.
final class GrowthWatcher {
  /// A growing file.
  private struct Watched {
    /// The file's recording when it was first seen.
    let recording: Recording
    /// The key by which the process that reads files knows the film.
    var key: UInt64
    let id: ItemTag
    var film: GrowingFilm?
    /// The monotonic time of the last examination, in nanoseconds.
    var lastLook: Int64 = .min / 2
    var isDue = true
    /// The recording after its writer has finished; nil until then.
    var ending: Recording?
    /// The number of films of this file that could not continue.
    var failures = 0
  }

  private let films: GrowingFilms
  private let place: LibraryPaths
  private let examiner: any FileIndexer
  private let stream: FolderChanges
  private let clock: Clock
  private let naming: RecordingNaming
  private let log: @Sendable (LibraryEvent) -> Void
  /// The function that saves the given rows, and deletes the rows of the films with the given keys.
  private let save: @Sendable ([GrowingFilmRow], [ItemTag]) -> Void
  /// The function that requests an examination of a file by the library, because the watcher has learned more about it.
  private let look: @Sendable (RelativePath) -> Void
  private var watched: [RelativePath: Watched] = [:]
  private var folders: [FolderChanges.Watch: RelativePath] = [:]
  private var lastKey: UInt64 = 0
  /// The films that were growing when the last server ended.
  private var former: [RelativePath: GrowingFilmRow]
  private var nextSweep: Int64 = .min
  /// The films that were closed within `LibraryLimits.lingerNanoseconds`, with the monotonic time. Clients that follow
  /// them still get their last fragments.
  private var lingering: [(film: GrowingFilm, since: Int64)] = []

  init(
    _ films: GrowingFilms, _ place: LibraryPaths, by examiner: any FileIndexer, stream: FolderChanges, clock: Clock,
    naming: RecordingNaming, former: [GrowingFilmRow], log: @escaping @Sendable (LibraryEvent) -> Void,
    save: @escaping @Sendable ([GrowingFilmRow], [ItemTag]) -> Void, look: @escaping @Sendable (RelativePath) -> Void
  ) {
    self.films = films
    self.place = place
    self.examiner = examiner
    self.stream = stream
    self.clock = clock
    self.naming = naming
    self.log = log
    self.save = save
    self.look = look
    self.former = Dictionary(former.map { ($0.path, $0) }) { $1 }
  }

  /// Processes events, and examines the files that have grown.
  ///
  /// - Returns: the wait until the next turn.
  func turn(_ findings: [GrowthThread.Finding]) -> Pause {
    for finding in findings { take(finding) }
    for change in stream.changes() { take(change) }
    let now = clock.uptimeNanoseconds
    for (path, file) in watched where file.isDue || file.ending != nil {
      guard now - file.lastLook >= LibraryLimits.growthIntervalNanoseconds || file.ending != nil else { continue }
      look(at: path)
    }
    while let first = lingering.first, now - first.since >= LibraryLimits.lingerNanoseconds {
      if case .closed(let closed, _) = first.film.now { first.film.change(to: .closed(closed, last: nil)) }
      lingering.removeFirst()
    }
    if nextSweep <= now {
      nextSweep = now + LibraryLimits.growthSweepNanoseconds
      sweep()
    }
    return pause
  }

  /// The time to wait before the next turn.
  struct Pause {
    var milliseconds: Int
    /// True if changes may accumulate in the kernel meanwhile, because no file is due for an examination yet.
    var isGathering: Bool
  }

  private var pause: Pause {
    let now = clock.uptimeNanoseconds
    let interval = LibraryLimits.growthIntervalNanoseconds
    var next = nextSweep
    if let first = lingering.first { next = min(next, first.since + LibraryLimits.lingerNanoseconds) }
    for file in watched.values where file.isDue { next = min(next, file.lastLook + interval) }
    let firstLook = watched.values.lazy.map { $0.lastLook + interval }.min() ?? now
    let isGathering = firstLook > now
    if isGathering { next = min(next, firstLook) }
    return Pause(milliseconds: next <= now ? 0 : Int((next - now - 1) / 1_000_000 + 1), isGathering: isGathering)
  }

  // MARK: Events

  private func take(_ finding: GrowthThread.Finding) {
    let path = finding.path
    guard let recording = finding.recording else {
      forget(path)
      return
    }
    switch recording.state {
    case .recording: begin(path, recording)
    case .ready, .refused:
      if let film = films.film(at: path), film.isClosed, !film.isClosed(as: recording) { drop(film) }
      // The recorder may have closed the file while no server was running.
      if watched[path] == nil, former[path] != nil { begin(path, recording) }
      watched[path]?.ending = recording
    }
  }

  private func take(_ change: FolderChanges.Change) {
    switch change {
    case .overflow: for path in watched.keys { watched[path]?.isDue = true }
    case .inFolder(let watch, let name?, let kinds):
      guard !kinds.isDisjoint(with: [.modified, .closedAfterWriting]), let folder = folders[watch],
        let name = String(validating: name, as: UTF8.self)
      else { return }
      let path = folder.appending(name)
      if watched[path] != nil { watched[path]?.isDue = true }
    case .inFolder(let watch, nil, _): folders[watch] = nil
    }
  }

  private func begin(_ path: RelativePath, _ recording: Recording) {
    if let known = watched[path] {
      guard known.recording.version.inode != recording.version.inode else {
        watched[path]?.isDue = true
        return
      }
      forget(path)
    }
    if let film = films.film(at: path), film.isClosed { drop(film) }
    guard watched.count < LibraryLimits.growingFiles else { return }
    // Watching a folder twice gives the same watch. Without a watch, the library's own looks have to suffice.
    if let watch = try? stream.watch(folder: place.location(of: path.parent)) { folders[watch] = path.parent }
    let old = former[path].flatMap { $0.inode == recording.version.inode ? $0.id : nil }
    if old == nil { endFormer(path) } else { former[path] = nil }
    lastKey += 1
    watched[path] = Watched(recording: recording, key: lastKey, id: old ?? newID(of: recording))
  }

  /// Returns an ID of 16 hexadecimal digits: a hash of device, inode, the present time and the last key.
  private func newID(of recording: Recording) -> ItemTag {
    var seed: [UInt8] = []
    seed.append(bigEndian: recording.version.device)
    seed.append(bigEndian: recording.version.inode)
    seed.append(bigEndian: UInt64(bitPattern: clock.unixNanoseconds))
    seed.append(bigEndian: lastKey)
    return ItemTag(SHA256.hash(seed).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  // MARK: Looking

  private func look(at path: RelativePath) {
    guard var file = watched[path] else { return }
    file.isDue = false
    file.lastLook = clock.uptimeNanoseconds
    defer { if watched[path] != nil { watched[path] = file } }
    let opened: RandomAccessFile
    do throws(StorageError) { opened = try place.open(path) } catch {
      if file.ending != nil { forget(path) }
      return
    }
    let version = opened.openingStatus.version
    guard version.inode == file.recording.version.inode, !hasShrunk(file, version) else {
      return forget(path)
    }
    let isClosed = file.ending != nil
    if let ending = file.ending, ending.version != version {
      // The library examines the file again and then reports its new state.
      file.ending = nil
      return
    }
    switch examiner.grow(opened, key: file.key, isClosed: isClosed) {
    case .grown(let growth):
      guard grow(&file, growth, opened) else {
        beginAnew(path, &file, "it does not continue what was read before")
        return
      }
    case .nothing: break
    case .over(let reason):
      beginAnew(path, &file, reason)
      return
    case .unavailable:
      file.isDue = true
      return
    }
    guard isClosed else { return }
    if let film = file.film { close(film, version) }
    watched[path] = nil
    films.tell()
  }

  private func hasShrunk(_ file: Watched, _ version: FileVersion) -> Bool {
    guard case .growing(let growth)? = file.film?.now else { return false }
    return version.size < growth.index.fileLength
  }

  /// - Returns: false if the growth does not continue the existing film.
  private func grow(_ file: inout Watched, _ growth: FilmGrowth, _ opened: RandomAccessFile) -> Bool {
    var source = GrownIndex()
    var fragments: ArraySlice<FilmFragment> = []
    if case .growing(let before)? = file.film?.now { (source, fragments) = (before.source, before.fragments) }
    guard source.add(growth), let index = try? SampleIndex(source) else { return false }
    fragments.append(contentsOf: growth.fragments.drop { $0.number <= fragments.last?.number ?? 0 })
    fragments = FilmFragment.useful(fragments, timescale: index.leading.timing.timescale)
    let now = GrowingFilm.State.growing(
      GrowingFilm.Growth(file: opened, index: index, source: source, fragments: fragments))
    if let film = file.film {
      film.change(to: now)
    } else {
      let version = opened.openingStatus.version
      let witnesses = TimeWitnesses(
        modifiedNanoseconds: version.modifiedNanoseconds,
        duration: Double(index.leading.timing.nanoseconds(index.end)) / 1e9)
      let start = naming.meaning(of: file.recording.name)
        .start(witnesses, now: UnixTimestamp(nanoseconds: clock.unixNanoseconds))
      let film = GrowingFilm(
        id: file.id, path: file.recording.path, name: file.recording.name, inode: version.inode, start: start, now)
      file.film = film
      films.put(film)
      save([GrowingFilmRow(film)], [])
      look(film.path)
    }
    films.tell()
    return true
  }

  private func beginAnew(_ path: RelativePath, _ file: inout Watched, _ reason: String) {
    log(.note(name: file.recording.name, "its film starts over while it grows: \(reason)"))
    if let film = file.film { drop(film) }
    let failures = file.failures + 1
    lastKey += 1
    file = Watched(
      recording: file.recording, key: lastKey, id: newID(of: file.recording), ending: file.ending, failures: failures)
    file.lastLook = clock.uptimeNanoseconds
    // A film that cannot be followed is shown when the file is complete.
    if failures > LibraryLimits.growthFailures || file.ending != nil { watched[path] = nil }
  }

  // MARK: Ending

  private func close(_ film: GrowingFilm, _ version: FileVersion) {
    guard case .growing(let growth) = film.now else { return }
    do {
      let bytes = try growth.source.bytes(at: 0, count: Int(growth.source.length))
      let file = try TemporaryFile(in: place.heads)
      try file.append(BoundComposition(bytes))
      try file.rename(replacing: place.index(film.id.text))
      let closed = ClosedFilm(
        version: version, closedNanoseconds: clock.unixNanoseconds, indexLength: UInt64(bytes.count),
        indexDigest: SHA256.hash(bytes))
      film.change(to: .closed(closed, last: growth))
      lingering.append((film, clock.uptimeNanoseconds))
      save([GrowingFilmRow(film)], [])
    } catch {
      log(.warning("cannot keep the live film of \(film.path): \(error)"))
      remove([film])
    }
  }

  /// Forgets a file that was removed or replaced, and drops its film.
  private func forget(_ path: RelativePath) {
    let film = watched.removeValue(forKey: path)?.film ?? films.film(at: path)
    if let film { drop(film) }
    endFormer(path)
  }

  private func endFormer(_ path: RelativePath) {
    if let row = former.removeValue(forKey: path) { save([], [row.id]) }
  }

  private func drop(_ film: GrowingFilm) {
    film.validity.end()
    remove([film])
    films.tell()
  }

  private func remove(_ gone: [GrowingFilm]) {
    guard !gone.isEmpty else { return }
    for film in gone {
      films.remove(film)
      try? FileTree.remove(place.index(film.id.text))
    }
    save([], gone.map(\.id))
  }

  private func sweep() {
    remove(films.closed(before: clock.unixNanoseconds - LibraryLimits.grownFilmNanoseconds))
  }
}

extension GrowingFilmRow {
  init(_ film: GrowingFilm) {
    let closed: ClosedFilm? = if case .closed(let closed, _) = film.now { closed } else { nil }
    self.init(
      id: film.id, path: film.path, name: film.name, inode: film.inode, start: film.start, closed: closed)
  }
}
