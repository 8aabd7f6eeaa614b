internal import FootageBase
internal import FootageSystem

/// What names and creation times turn out to be worth, once there are many of them.
extension LibraryWorker {
  /// What the clock says.
  var now: UnixTimestamp { UnixTimestamp(nanoseconds: clock.unixNanoseconds) }

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
      unpersisted.insert(path)
    }
  }
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
