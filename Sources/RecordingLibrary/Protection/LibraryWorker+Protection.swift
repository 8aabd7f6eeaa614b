internal import Storage
internal import FootageSystem

/// Which recordings are protected: by a mark on their file, or by a line of a list.
extension LibraryWorker {
  /// The mark: the attribute `user.footage.keep`.
  static let keepMark = "keep"

  /// Asks the file. What cannot be asked just now is what it was. Blocks.
  func isProtected(_ recording: Recording) -> Bool {
    guard !recording.isRemote else { return recording.isKept }
    do throws(StorageError) {
      let file = try place.open(recording.path)
      if try file.hasMark(Self.keepMark) { return true }
      return try keptLists.holdsLine(of: file)
    } catch {
      return registry[recording.path]?.isKept ?? recording.isKept
    }
  }

  /// Has everybody see that a recording is protected, or no longer so.
  func mark(_ path: RelativePath, isKept: Bool) {
    guard let known = registry[path], known.isKept != isKept else { return }
    _ = registry.put(known.with(isKept: isKept))
    if known.state == .ready { unpersisted.insert(path) }
  }

  /// Takes in what other processes have written into the lists.
  func lookAtKeptLists() {
    nextKeptLook = clock.uptimeNanoseconds + LibraryLimits.keptLookNanoseconds
    let sizes = keptLists.refresh { tell(.warning($0.description)) }
    restoreKeptList()
    guard !sizes.isEmpty else { return }
    for path in Array(registry.paths) {
      guard let recording = registry[path], sizes.contains(recording.version.size) else { continue }
      mark(path, isKept: isProtected(recording))
    }
  }

  /// The state folder was deleted while this process knew what was in it: protection is nothing that a look at the files
  /// would bring back. Until there is a folder again, it is tried with each look at the lists.
  private func restoreKeptList() {
    guard role == .server, let list = keptLists.inState, list.version == nil else { return }
    do throws(StorageError) {
      for line in keptLists.linesOfState { try list.add(line) }
    } catch { tell(.warning(error.description)) }
  }
}

extension KeptLists {
  /// Whether a line is about this file, whatever its name. Reads it only where a line has its size.
  func holdsLine(of file: RandomAccessFile) throws(StorageError) -> Bool {
    guard sizes.contains(file.openingStatus.version.size) else { return false }
    return identities.contains(try KeptLine.identity(of: file))
  }
}

extension Recording {
  /// The same, protected or not, with its bytes here or there.
  func with(isKept: Bool? = nil, whereabouts: Whereabouts? = nil) -> Recording {
    let isKept = isKept ?? self.isKept
    guard isKept != self.isKept || whereabouts != nil else { return self }
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered, start: start,
      creationSeconds: creationSeconds, isCreationShared: isCreationShared, duration: duration, video: video,
      audio: audio, version: version, changedNanoseconds: changedNanoseconds, content: content, film: film,
      place: place, isKept: isKept, whereabouts: whereabouts ?? self.whereabouts, validity: validity)
  }
}
