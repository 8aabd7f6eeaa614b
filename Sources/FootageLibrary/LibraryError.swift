package import FootageBase
package import FootageSystem

/// The reason why the library cannot open, serve or import a folder, a recording or a file.
package enum LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The recordings folder cannot be used.
  case folder(StorageError)
  /// Another server is using this folder.
  case alreadyServed(folder: String)
  case catalog(SQLiteError)
  case storage(StorageError)
  /// The recording cannot be served, either for now or permanently. The reason is the same as in the list.
  case notReady(name: String, reason: String)
  /// The recording has nothing to show in this view.
  case nothingToShow(name: String, reason: String)
  /// The recording ends before the requested time.
  case outside(name: String)
  /// No manifest can be made for the recording. The reason says what to do.
  case noManifest(name: String, reason: String)
  /// The manifest is being made and will be available later.
  case manifestBeingMade(name: String)
  /// The number of requested manifests has reached its limit.
  case tooManyManifests
  /// The film does not have that many parts.
  case noSuchPart(name: String)
  /// The recording has no film with this ID, or no longer has it.
  case noSuchFilm(name: String)
  /// Nothing playable was recorded in the requested time range. The nearest moments are given, each nil if there is
  /// none.
  case noFootage(before: UnixTimestamp?, after: UnixTimestamp?)
  /// The parts have different formats. The value contains a target for each part, as a separate clip.
  case formatsDiffer(targets: [String])
  /// The view would exceed the maximum length. The text says what to do.
  case tooLong(String)
  /// The file has changed since it was indexed; it is being indexed again.
  case changed(name: String)
  /// The stored preamble differs from what was written; it is being rebuilt.
  case headDamaged(name: String)
  /// The stored sample index differs from what was written, or no index has been made yet; it is being made.
  case indexDamaged(name: String)
  /// The bytes are only in a store, which does not respond or cannot provide them.
  case storeAway(name: String)
  /// The file crashed the process that was reading it or exceeded its limits, or no process could be started to read
  /// it.
  case unreadable(file: String, reason: String)
  /// The file was not imported, for this reason.
  case refused(file: String, reason: String)
  /// The file was not imported, because another recording has the name.
  case nameTaken(file: String, by: String)
  /// The recording was not rebuilt, because its file is only in the store.
  case storedOnly(name: String)
  /// The recording was not rebuilt, because the present rules refuse its file.
  case refusedNow(name: String, reason: String)
  /// There is no recording with that name.
  case unknown(name: String, folder: String)
  /// The recording was not exported, for this reason.
  case exportRefused(target: String, reason: String)

  package var description: String {
    switch self {
    case .folder(let error):
      "cannot use the recordings folder: \(error)"
    case .alreadyServed(let folder):
      "\(folder) is already served by another footage process: stop that one, or use a different --recordings folder"
    case .catalog(let error): error.description
    case .storage(let error): error.description
    case .notReady(let name, let reason): "recording \(name) cannot be played: \(reason)"
    case .nothingToShow(let name, let reason): "recording \(name) has no such view: \(reason)"
    case .noManifest(let name, let reason): "recording \(name) has no manifest: \(reason)"
    case .manifestBeingMade(let name): "the manifest of recording \(name) is being made: try again in a moment"
    case .tooManyManifests:
      "\(LibraryLimits.wantedManifests) manifests are already waiting to be made: try again when some are done"
    case .outside(let name): "recording \(name) ends before the requested time: request an earlier one"
    case .noSuchPart(let name): "the film of recording \(name) has no such part: request one that its playlist lists"
    case .noSuchFilm(let name):
      "the live film of recording \(name) is no longer kept: request it without the parameter id"
    case .tooLong(let reason): reason
    case .noFootage(let before, let after):
      switch (before, after) {
      case (let before?, let after?):
        "nothing was recorded then: the previous recording ended at \(before.rfc3339), the next one begins at "
          + "\(after.rfc3339)"
      case (let before?, nil): "nothing was recorded then: the last recording ended at \(before.rfc3339)"
      case (nil, let after?): "nothing was recorded then: the first recording begins at \(after.rfc3339)"
      case (nil, nil): "nothing was recorded then"
      }
    case .formatsDiffer(let targets):
      "its \(targets.count) parts have different formats, which one clip cannot hold: request each separately"
    case .changed(let name): "the file of recording \(name) was changed: try again in a second"
    case .headDamaged(let name):
      "the preamble of recording \(name) was damaged and is being rebuilt: try again in a second"
    case .indexDamaged(let name):
      "the sample index of recording \(name) is missing or damaged and is being rebuilt: try again in a second"
    case .storeAway(let name):
      "recording \(name) is only in the store, which cannot be read at the moment: footage offload status shows why"
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .refused(let file, let reason): "\(file) was not imported: \(reason)"
    case .nameTaken(let file, let other):
      "\(file) was not imported: \(other) is another recording with that name; rename one of them"
    case .storedOnly(let name):
      "recording \(name) was not rebuilt: its file is only in the store. footage offload restore \(name) brings it back"
    case .refusedNow(let name, let reason):
      "recording \(name) was not rebuilt and stays as it was, because this version of Footage refuses its file: "
        + reason
    case .unknown(let name, let folder):
      "there is no recording \(name) in \(folder): footage list shows the recordings"
    case .exportRefused(let target, let reason): "\(target) was not written: \(reason)"
    }
  }
}
