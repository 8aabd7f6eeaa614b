internal import FootageAPI
internal import FootageSystem

/// The results of one round of examinations, to be stored together.
struct IndexBatch {
  struct Entry {
    let recording: Recording
    let files: DerivedFiles
    /// The file's peculiarities, one sentence each.
    let notes: [String]
    /// The time when the examination began; nil if that does not matter.
    let started: Int64?
  }

  var entries: [Entry] = []
  /// The recordings whose files no longer exist.
  var removals: [RelativePath] = []
  /// True if this program decided to delete the files, and logs that itself.
  var isDecided = false
  /// The recordings whose file systems are not mounted at the moment.
  var away: [RelativePath] = []
  /// The paths that were examined, whatever the result.
  var paths: Set<RelativePath> = []
  /// The total size of all files that are to be stored, in bytes.
  private(set) var fileBytes = 0
  private var holders: [ExactName: RelativePath] = [:]

  mutating func put(
    _ recording: Recording, files: DerivedFiles = DerivedFiles(), notes: [String] = [], started: Int64? = nil
  ) {
    entries.append(Entry(recording: recording, files: files, notes: notes, started: started))
    fileBytes += Int(clamping: files.length)
    if recording.contestedName == nil { holders[ExactName(recording.name)] = recording.path }
  }

  /// Returns the file that will have this name when the batch is stored.
  func holder(of name: String, else registry: RecordingRegistry) -> RelativePath? {
    if let holder = holders[ExactName(name)] { return holder }
    return registry.holder(of: name).flatMap { removals.contains($0) ? nil : $0 }
  }
}
