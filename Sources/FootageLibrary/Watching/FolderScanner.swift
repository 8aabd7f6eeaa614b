internal import FootageSystem

/// The scanner that finds the contents of the recordings folder, by scans and by the kernel's events.
final class FolderScanner {
  private let model: FolderModel
  private let indexer: Indexer
  private let committer: Committer
  private let fileSystems: FileSystems
  private let protections: Protections
  private let stored: StoredKnowledge
  /// The time of the next scan of the whole folder.
  private(set) var nextScan: Int64 = .min
  /// The folders in which files that are not MP4 appeared or disappeared, to be counted again.
  private var foreignFolders: Set<RelativePath> = []
  /// The time of the next count of those files; nil if there is nothing to count.
  private var nextCount: Int64?
  private var lastCount: Int64 = .min / 2
  /// True if the folder counts as missing because this process may not read it.
  private(set) var isFolderDenied = false
  /// True if the last scans could set watches on all folders.
  private(set) var isWatched = true

  init(
    _ model: FolderModel, _ indexer: Indexer, _ committer: Committer, _ fileSystems: FileSystems,
    _ protections: Protections, _ stored: StoredKnowledge
  ) {
    self.model = model
    self.indexer = indexer
    self.committer = committer
    self.fileSystems = fileSystems
    self.protections = protections
    self.stored = stored
  }

  /// Handles a mount or unmount anywhere on the machine.
  func noteMounts(_ table: MountTable) {
    if fileSystems.haveChanged(table) { nextScan = .min }
  }

  /// The time when something is to be done, even if no file changes.
  var nextDue: Int64 { min(nextScan, nextCount ?? .max) }

  /// Processes events, and scans the folders that need it.
  ///
  /// - Returns: true if the next changes may accumulate in the kernel: there were changes, and none was urgent.
  func takeNews() -> Bool {
    var scans: [RelativePath] = []
    let events = model.watcher.events()
    for event in events { take(event, &scans) }
    if nextScan <= model.clock.uptimeNanoseconds || scans.contains(.root) { scans = [.root] }
    for folder in scans { scan(folder) }
    if let nextCount, nextCount <= model.clock.uptimeNanoseconds { countForeign() }
    return !events.isEmpty && !events.contains(where: \.isUrgent)
  }

  private func take(_ event: FolderWatcher.Event, _ scans: inout [RelativePath]) {
    let now = model.clock.uptimeNanoseconds
    switch event {
    case .finished(let path): model.schedule.noteFinished(path, now: now)
    case .moved(let path): model.schedule.noteMoved(path)
    case .created(let path): model.schedule.noteCreated(path, now: now)
    case .modified(let path): model.schedule.noteModified(path, now: now)
    case .touched(let path): model.schedule.noteTouched(path, now: now)
    case .gone(let path): model.schedule.noteGone(path)
    case .foreign(let folder): noteForeign(in: folder, now: now)
    case .folder(let folder): if !scans.contains(folder) { scans.append(folder) }
    case .rootGone: scans.append(.root)
    case .hiddenFolderGone(let folder):
      // If only the state folder was deleted, it is recreated. If everything around it was deleted, too, the recordings
      // folder is gone a moment later, which the kernel does not report while the catalog is open.
      if model.place.location(of: folder) == model.place.state {
        nextScan = min(nextScan, now + LibraryLimits.lookIntervalNanoseconds)
      }
    case .overflow:
      model.log(
        .warning("there were more changes at once than the kernel can queue: the whole folder is scanned again"))
      model.schedule.noteOverflow()
      scans.append(.root)
    }
  }

  /// Compares a folder and everything in it with the known recordings, and schedules an examination of each file that
  /// differs.
  func scan(_ folder: RelativePath) {
    let started = model.clock.uptimeNanoseconds
    if folder == .root, fileSystems.hasRootMoved(), FolderRoot(model.place.recordings).contains(model.place.state) {
      // Open the state inside the recordings folder at its new place.
      committer.moveState()
    }
    fileSystems.beginScan()
    let scan = FolderScan.of(folder, in: model.place, &model.watcher)
    for event in scan.events { model.tell(event) }
    guard scan.isThere || folder != .root else { return noteFolderMissing(scan.denial, now: started) }
    if model.isFolderMissing {
      (model.isFolderMissing, isFolderDenied) = (false, false)
      model.log(.warning("the recordings folder \(model.place.recordings) is back"))
    }
    if folder == .root, model.hasScanned { committer.restoreState() }
    take(scan, of: folder)
    if folder == .root {
      isWatched = scan.isWatched
      let interval = scan.isWatched ? LibraryLimits.rescanNanoseconds : LibraryLimits.unwatchedRescanNanoseconds
      nextScan = started + interval
      if !model.hasScanned {
        model.log(.scanned(files: scan.files.count, milliseconds: model.milliseconds(since: started)))
        model.hasScanned = true
      }
    } else if !scan.isWatched {
      isWatched = false
      nextScan = min(nextScan, started + LibraryLimits.unwatchedRescanNanoseconds)
    }
    if !scan.unlisted.isEmpty { nextScan = min(nextScan, started + LibraryLimits.retryNanoseconds) }
  }

  /// Schedules a count of the files in a folder that are not MP4. A recorder that writes and deletes many of them causes
  /// one count in a while. Changes in more folders than are remembered are found by the next scan.
  private func noteForeign(in folder: RelativePath, now: Int64) {
    guard foreignFolders.count < LibraryLimits.foreignFolders else { return }
    foreignFolders.insert(folder)
    guard nextCount == nil else { return }
    nextCount = max(
      now + LibraryLimits.lookIntervalNanoseconds, lastCount + LibraryLimits.foreignIntervalNanoseconds)
  }

  private func countForeign() {
    let folders = foreignFolders
    (foreignFolders, nextCount, lastCount) = ([], nil, model.clock.uptimeNanoseconds)
    for folder in folders {
      do throws(StorageError) {
        let entries = try model.place.folder(folder).entries().filter { $0.kind == .regular }
        model.changeForeign { $0.set(ForeignFiles(in: folder, names: entries.lazy.map(\.bytes)), of: folder) }
      } catch {
        // The folder's own removal is an event as well. For any other reason, the next scan counts again.
        if error.reason == .system(.notFound) { model.changeForeign { $0.set(ForeignFiles(), of: folder) } }
      }
    }
  }

  private func take(_ scan: FolderScan, of folder: RelativePath) {
    model.changeForeign { $0.replace(in: folder, by: scan.foreign, unlisted: scan.unlisted) }
    var seen: Set<RelativePath> = []
    var back = 0
    if !model.hasScanned, model.role == .server { putBack(scan.leftovers) }
    // Among files that were never seen before, the modification time is the best evidence of which is older.
    let byTime = scan.files.sorted { $0.status.version.modifiedNanoseconds < $1.status.version.modifiedNanoseconds }
    for (path, status) in byTime { model.noteSighting(path, status) }
    for (path, status) in scan.files {
      seen.insert(path)
      if fileSystems.meet(path, status) { back += 1 }
      if !indexer.isCurrent(path, status) { model.schedule.noteScanned(path) }
    }
    if back > 0 { model.log(.warning("\(back) recording\(back == 1 ? "" : "s") came back with a file system")) }
    var away: [RelativePath] = []
    for path in model.registry.paths where path.isInside(folder) && !seen.contains(path) {
      guard !scan.unlisted.contains(where: { path.isInside($0) }), let recording = model.registry[path] else {
        continue
      }
      if recording.isRemote { continue }
      if fileSystems.isAway(recording) { away.append(path) } else { model.schedule.noteScanned(path) }
    }
    fileSystems.putAway(away)
    if scan.unlisted.isEmpty { fileSystems.forgetMissing(in: folder, seen: seen) }
  }

  /// Handles a missing recordings folder. The rows stay, because the same disk may be mounted again.
  private func noteFolderMissing(_ denial: StorageError?, now: Int64) {
    nextScan = now + LibraryLimits.lookIntervalNanoseconds
    guard !model.isFolderMissing || isFolderDenied != (denial != nil) else { return }
    (model.isFolderMissing, isFolderDenied) = (true, denial != nil)
    if let denial {
      model.log(.warning("the recordings folder is not readable: \(denial); it will be served again when it is"))
    } else {
      model.log(
        .warning("the recordings folder \(model.place.recordings) is gone: it will be served again when it returns"))
    }
    model.watcher.forget(.root)
    model.changeForeign { $0 = ForeignFileCounts() }
    var remote: [Recording] = []
    for path in model.registry.paths {
      guard let recording = model.registry[path], recording.state == .ready else { continue }
      if let copy = stored.remote(recording) { remote.append(copy) } else { fileSystems.wait(for: recording) }
    }
    model.registry.removeAll()
    for recording in remote { _ = model.registry.put(recording) }
    model.schedule = IndexSchedule()
  }

  /// Restores the names of files whose deletion a crash has interrupted.
  private func putBack(_ leftovers: [RelativePath]) {
    let removal = RecordingRemoval(files: FolderRemovalFiles(place: model.place, lists: protections.lists))
    for hidden in leftovers {
      do throws(StorageError) {
        let path = try removal.putBack(hidden)
        model.log(.warning("\(path) was about to be deleted when the server ended: it is listed again"))
        // The file existed before this program's first scan, so it keeps its age.
        if let status = try? model.place.status(of: path) { model.noteSighting(path, status) }
        model.schedule.noteScanned(path)
      } catch {
        model.log(
          .warning(
            "a recording that was about to be deleted when the server ended keeps its hidden name: \(error); rename "
              + "it"))
      }
    }
  }
}
