internal import FootageAPI

/// The recordings by path, by name and by tag, and the snapshot that follows them.

/// The recordings by path, by name and by tag. If several files have the same name, the first one gets it; the others
/// are claimants, which are listed under their full paths.
struct RecordingRegistry {
  private(set) var snapshot: LibrarySnapshot
  private var byPath: [RelativePath: Recording] = [:]
  private var holders: [ExactName: RelativePath] = [:]
  private var claimants: [ExactName: Set<RelativePath>] = [:]
  /// The number of recordings that are served under each tag. Copies of a file with equal times have the same tag, and
  /// share its preamble and its index.
  private var tagCounts: [String: Int] = [:]
  /// The recordings whose starts are derived from creation times, or would be if no other recording had the same
  /// creation time.
  private var creations: [Creation: CreationHolder] = [:]
  /// The total size of the recordings that each viewer protects.
  private(set) var keptShares = KeptShares()

  private struct Creation: Hashable {
    let camera: String?
    let seconds: Int64
  }

  private enum CreationHolder {
    case one(RelativePath)
    /// The creation time is shared by several recordings. This stays recorded after they are removed, because the
    /// segmenter writes the same time into its next file.
    case several
  }

  /// Creates a registry. If several recordings would have the same name, the first in the order of paths gets it.
  init(_ recordings: [Recording]) {
    var taken: [Recording] = []
    snapshot = LibrarySnapshot()
    for recording in recordings.sorted(by: { $0.path < $1.path })
    where holders[ExactName(recording.name)] == nil && byPath[recording.path] == nil {
      taken.append(recording)
      note(recording)
    }
    snapshot = LibrarySnapshot(taken)
  }

  subscript(path: RelativePath) -> Recording? { byPath[path] }

  var paths: Dictionary<RelativePath, Recording>.Keys { byPath.keys }

  /// Returns the file that has this name.
  func holder(of name: String) -> RelativePath? { holders[ExactName(name)] }

  /// Returns the files that would have this name if its holder were removed.
  func claimants(of name: String?) -> Set<RelativePath> { name.flatMap { claimants[ExactName($0)] } ?? [] }

  /// Records that a recording's start is derived from its creation time.
  ///
  /// - Returns: the recordings for which that time now proves to be shared.
  mutating func claimCreation(_ path: RelativePath) -> [RelativePath] {
    guard let recording = byPath[path], let creation = Self.creation(of: recording) else { return [] }
    switch creations[creation] {
    case _ where recording.isCreationShared:
      var others: [RelativePath] = []
      if case .one(let other) = creations[creation], other != path { others = [other] }
      creations[creation] = .several
      return others
    case nil:
      creations[creation] = .one(path)
      return []
    case .one(path): return []
    case .one(let other):
      creations[creation] = .several
      return [other, path]
    case .several: return [path]
    }
  }

  private static func creation(of recording: Recording) -> Creation? {
    guard let seconds = recording.creationSeconds, recording.start.source == .creation || recording.isCreationShared
    else { return nil }
    return Creation(camera: recording.camera, seconds: seconds)
  }

  func hasTag(_ tag: String) -> Bool { tagCounts[tag] ?? 0 > 0 }

  /// - Returns: the previous recording at its path.
  mutating func put(_ recording: Recording) -> Recording? {
    let old = byPath[recording.path]
    if let old { forget(old) }
    note(recording)
    snapshot.replace(old, with: recording)
    return old
  }

  /// - Returns: the removed recording.
  mutating func remove(_ path: RelativePath) -> Recording? {
    guard let old = byPath[path] else { return nil }
    forget(old)
    snapshot.replace(old, with: nil)
    return old
  }

  mutating func removeAll() {
    for recording in byPath.values { snapshot.replace(recording, with: nil) }
    (byPath, holders, claimants, tagCounts, creations) = ([:], [:], [:], [:], [:])
    keptShares = KeptShares()
  }

  private mutating func note(_ recording: Recording) {
    byPath[recording.path] = recording
    keptShares.add(recording)
    if let name = recording.contestedName.map(ExactName.init) {
      claimants[name, default: []].insert(recording.path)
    } else {
      holders[ExactName(recording.name)] = recording.path
    }
    if let tag = recording.content?.tag { tagCounts[tag, default: 0] += 1 }
  }

  private mutating func forget(_ recording: Recording) {
    byPath[recording.path] = nil
    keptShares.remove(recording)
    if let name = recording.contestedName.map(ExactName.init) {
      claimants[name]?.remove(recording.path)
      if claimants[name]?.isEmpty == true { claimants[name] = nil }
    } else if holders[ExactName(recording.name)] == recording.path {
      holders[ExactName(recording.name)] = nil
    }
    if let creation = Self.creation(of: recording), case .one(recording.path) = creations[creation] {
      creations[creation] = nil
    }
    if let tag = recording.content?.tag, let count = tagCounts[tag] { tagCounts[tag] = count > 1 ? count - 1 : nil }
  }
}
