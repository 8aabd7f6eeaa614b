internal import FootageSystem

/// Which recordings are protected: by a mark on their file, or by a line of a list.
final class Protections {
  private let model: FolderModel
  /// What is protected by a line of a list.
  private(set) var lists: KeptLists
  /// When the lists are looked at next.
  private(set) var nextLook: Int64 = .min

  /// - Parameter stateLasts: whether the state lies where it was meant to.
  init(_ model: FolderModel, stateLasts: Bool) {
    self.model = model
    lists = KeptLists(model.place, stateLasts: stateLasts)
  }

  /// Asks the file. What cannot be asked just now is what it was. Blocks.
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

  /// The state folder is another one: what its list said is forgotten, and it is looked at soon.
  func stateHasMoved() {
    lists.forgetState()
    nextLook = .min
  }

  /// Takes in what other processes have written into the lists.
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

  /// The state folder was deleted while this process knew what was in it: protection is nothing that a look at the files
  /// would bring back. Until there is a folder again, it is tried with each look at the lists.
  private func restoreKeptList() {
    let list = lists.inState
    guard model.role == .server, lists.stateLasts, list.version == nil else { return }
    do throws(StorageError) {
      for line in lists.linesOfState { try list.add(line, by: lists.keeper(of: line.identity)) }
    } catch { model.tell(.warning(error.description)) }
  }
}

extension KeptLists {
  /// Whose line is about this file, whatever its name; nil where there is none. Reads it only where a line has its size.
  func keeper(of file: RandomAccessFile) throws(StorageError) -> Keeper? {
    guard sizes.contains(file.openingStatus.version.size) else { return nil }
    let identity = try KeptLine.identity(of: file)
    return identities.contains(identity) ? keeper(of: identity) : nil
  }
}

extension Recording {
  /// The same, with this protection, and with its bytes here or there.
  func with(keeper: Keeper?, whereabouts: Whereabouts? = nil) -> Recording {
    guard keeper != self.keeper || whereabouts != nil else { return self }
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered, start: start,
      creationSeconds: creationSeconds, isCreationShared: isCreationShared, duration: duration, video: video,
      audio: audio, version: version, changedNanoseconds: changedNanoseconds, content: content, film: film,
      place: place, keeper: keeper, whereabouts: whereabouts ?? self.whereabouts, validity: validity)
  }

  /// The same, protected, whoever does that.
  package func protected() -> Recording { isKept ? self : with(keeper: .anybody) }

  /// The same, with its bytes here or there.
  func with(whereabouts: Whereabouts) -> Recording { with(keeper: keeper, whereabouts: whereabouts) }
}
