/// Creation times that say nothing, since several recordings have the same.

internal import Formats
internal import Storage

extension LibraryWorker {
  /// What the clock says.
  var now: UnixTimestamp { UnixTimestamp(nanoseconds: clock.wallNanoseconds()) }

  /// Judges the start of a recording anew, and of the one that has the same creation time, if there is one.
  func markSharedCreation(of path: RelativePath) {
    for path in shelf.claimCreation(path) {
      guard let recording = shelf[path] else { continue }
      _ = shelf.put(recording.withSharedCreation(naming, now: now))
      unsaved.insert(path)
    }
  }
}

extension Recording {
  /// The same, whose creation time is no witness of its start any more.
  func withSharedCreation(_ naming: RecordingNaming, now: UnixTimestamp) -> Recording {
    let name = contestedName ?? name
    let witnesses = TimeWitnesses(
      creationSeconds: creationSeconds, isCreationShared: true, modifiedNanoseconds: version.modifiedNanoseconds,
      duration: duration)
    return Recording(
      path: path, name: self.name, camera: camera, state: state, isRecovered: isRecovered,
      start: naming.meaning(of: name).start(witnesses, now: now), creationSeconds: creationSeconds,
      isCreationShared: true, duration: duration, video: video, audio: audio, version: version, content: content,
      place: place)
  }
}
