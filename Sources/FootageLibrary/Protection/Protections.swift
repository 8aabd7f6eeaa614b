internal import FootageSystem

/// The protections of recordings, by a mark on the file or by a line in a list.
final class Protections {
  private let model: FolderModel
  /// The lists of kept recordings.
  private(set) var lists: KeptLists
  /// The time of the next check of the lists.
  private(set) var nextLook: Int64 = .min

  /// - Parameter stateLasts: true if the state folder is the named one and not a temporary one.
  init(_ model: FolderModel, stateLasts: Bool) {
    self.model = model
    lists = KeptLists(model.place, stateLasts: stateLasts)
  }

  /// Returns the owner of a recording's protection, according to its file or the lists. If these cannot be read now,
  /// returns the owner that was known before. Blocks.
  func keeper(of recording: Recording) -> Keeper? {
    guard !recording.isRemote else { return recording.keeper }
    do throws(StorageError) {
      let file = try model.place.open(recording.path)
      if let mark = try file.mark(Keeper.markName) { return Keeper(mark: mark) }
      return try lists.keeper(of: file)
    } catch {
      return (model.registry[recording.path] ?? recording).keeper
    }
  }

  /// Forgets the contents of the list in the state folder after another folder has replaced it, and checks the lists
  /// soon.
  func stateHasMoved() {
    lists.forgetState()
    nextLook = .min
  }

  /// Reads the changes that other processes have made to the lists of kept recordings.
  func look() {
    nextLook = model.clock.uptimeNanoseconds + LibraryLimits.keptLookNanoseconds
    let sizes = lists.refresh { model.tell(.warning($0.description)) }
    restoreKeptList()
    guard !sizes.isEmpty else { return }
    for path in Array(model.registry.paths) {
      guard let recording = model.registry[path], sizes.contains(recording.version.size) else { continue }
      model.mark(path, keeper: keeper(of: recording))
    }
  }

  /// Recreates the list in the state folder if the folder was deleted while this process knew the list's contents,
  /// because the files themselves do not have these protections. While the folder does not exist, this is retried at
  /// each check of the lists.
  private func restoreKeptList() {
    let list = lists.inState
    guard model.role == .server, lists.stateLasts, list.version == nil else { return }
    do throws(StorageError) {
      for line in lists.linesOfState { try list.add(line, by: lists.keeper(of: line.identity)) }
    } catch { model.tell(.warning(error.description)) }
  }
}

extension KeptLists {
  /// Returns the owner of the line about this file, under any name; nil if there is no line. Reads the file only if a
  /// line has its size.
  func keeper(of file: RandomAccessFile) throws(StorageError) -> Keeper? {
    guard sizes.contains(file.openingStatus.version.size) else { return nil }
    let identity = try KeptLine.identity(of: file)
    return identities.contains(identity) ? keeper(of: identity) : nil
  }
}

extension Recording {
  /// Returns the same recording with this protection, and optionally with other whereabouts.
  func with(keeper: Keeper?, whereabouts: Whereabouts? = nil) -> Recording {
    guard keeper != self.keeper || whereabouts != nil else { return self }
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered, start: start,
      creationSeconds: creationSeconds, isCreationShared: isCreationShared, duration: duration, video: video,
      audio: audio, severalVideoTracks: severalVideoTracks, version: version, changedNanoseconds: changedNanoseconds,
      content: content, film: film,
      place: place, keeper: keeper, whereabouts: whereabouts ?? self.whereabouts, robot: robot, validity: validity)
  }

  /// Returns the same recording as protected; an existing owner stays.
  package func protected() -> Recording { isKept ? self : with(keeper: .anybody) }

  /// Returns the same recording with other whereabouts.
  func with(whereabouts: Whereabouts) -> Recording { with(keeper: keeper, whereabouts: whereabouts) }
}
