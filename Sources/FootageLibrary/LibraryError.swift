package import FootageBase
package import FootageSystem

/// The reason the library cannot open, serve or import something.
package enum LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The recordings folder cannot be used.
  case folder(StorageError)
  /// Another server is using this folder.
  case alreadyServed(folder: String)
  case catalog(SQLiteError)
  case storage(StorageError)
  /// There is nothing to serve, yet or ever. The reason is the one in the list.
  case notReady(name: String, reason: String)
  /// The recording has nothing to show in this view.
  case nothingToShow(name: String, reason: String)
  /// The recording ends before the requested time.
  case outside(name: String)
  /// No manifest can be made for the recording. The reason says what to do.
  case noManifest(name: String, reason: String)
  /// The manifest is being made and will be available later.
  case manifestBeingMade(name: String)
  /// The maximum number of manifests is already requested.
  case tooManyManifests
  /// The film does not have that many parts.
  case noSuchPart(name: String)
  /// The recording has no film with this ID, or no longer has it.
  case noSuchFilm(name: String)
  /// Nothing playable was recorded in that time. The nearest moments are given, each nil if there is none.
  case noFootage(before: UnixTimestamp?, after: UnixTimestamp?)
  /// The parts have different formats. The target of each part, as a view of its own, is given.
  case formatsDiffer(targets: [String])
  /// The view would exceed the maximum length. The text says what to do.
  case tooLong(String)
  /// The file is not the one that was indexed; it is being indexed again.
  case changed(name: String)
  /// The stored preamble is not the one that was written; it is being rebuilt.
  case headDamaged(name: String)
  /// The stored sample index is not the one that was written, or none was made yet; it is being made.
  case indexDamaged(name: String)
  /// The bytes are only in a store, which does not respond or cannot provide them.
  case storeAway(name: String)
  /// The file crashed the process that was reading it or exceeded its limits, or no process could read it.
  case unreadable(file: String, reason: String)
  /// The file was not imported, for this reason.
  case refused(file: String, reason: String)
  /// The file was not imported, because another recording has the name.
  case nameTaken(file: String, by: String)
  /// There is no recording with that name.
  case unknown(name: String, folder: String)
  /// The recording was not exported, for this reason.
  case exportRefused(target: String, reason: String)

  package var description: String {
    switch self {
    case .folder(let error):
      "the recordings folder cannot be used: \(error)"
    case .alreadyServed(let folder):
      "\(folder) is served by another footage already: stop that one, or give this one another --recordings folder"
    case .catalog(let error): error.description
    case .storage(let error): error.description
    case .notReady(let name, let reason): "recording \(name) cannot be played: \(reason)"
    case .nothingToShow(let name, let reason): "recording \(name) has no such view: \(reason)"
    case .noManifest(let name, let reason): "there is no manifest of recording \(name): \(reason)"
    case .manifestBeingMade(let name): "the manifest of recording \(name) is being made: ask again in a moment"
    case .tooManyManifests:
      "\(LibraryLimits.wantedManifests) manifests are wanted already: ask again when some of them are made"
    case .outside(let name): "recording \(name) ends before the time that is asked for: ask for an earlier one"
    case .noSuchPart(let name): "the film of recording \(name) has no such part: ask for those that its playlist lists"
    case .noSuchFilm(let name):
      "the film of recording \(name) as it grew is kept no longer: ask for it without the parameter id"
    case .tooLong(let reason): reason
    case .noFootage(let before, let after):
      switch (before, after) {
      case (let before?, let after?):
        "nothing was recorded then: the last before it ended at \(before.rfc3339), the next begins at \(after.rfc3339)"
      case (let before?, nil): "nothing was recorded then: the last ended at \(before.rfc3339)"
      case (nil, let after?): "nothing was recorded then: the first begins at \(after.rfc3339)"
      case (nil, nil): "nothing was recorded then"
      }
    case .formatsDiffer(let targets):
      "its \(targets.count) parts are of different formats, which one movie cannot hold: ask for each by itself"
    case .changed(let name): "the file of recording \(name) was changed: try again in a second"
    case .headDamaged(let name):
      "the preamble of recording \(name) was damaged and is made again: try again in a second"
    case .indexDamaged(let name):
      "the sample index of recording \(name) is missing or damaged and is made again: try again in a second"
    case .storeAway(let name):
      "recording \(name) is in the store alone, which cannot be read just now: footage offload status says why"
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .refused(let file, let reason): "\(file) was not brought in: \(reason)"
    case .nameTaken(let file, let other):
      "\(file) was not brought in: \(other) is another recording of that name; rename one of them"
    case .unknown(let name, let folder):
      "there is no recording \(name) in \(folder): footage list shows what there is"
    case .exportRefused(let target, let reason): "\(target) was not written: \(reason)"
    }
  }
}
