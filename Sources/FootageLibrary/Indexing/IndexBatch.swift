internal import FootageAPI
internal import FootageSystem

/// What one round of looking came to, to be stored in one go.
struct IndexBatch {
  struct Entry {
    let recording: Recording
    let files: DerivedFiles
    /// What is odd about it, a sentence each.
    let notes: [String]
    /// When the look began; nil where that does not matter.
    let started: Int64?
  }

  var entries: [Entry] = []
  /// Whose files are gone.
  var removals: [RelativePath] = []
  /// Whether the removals are this program's own doing, which says so itself.
  var isDecided = false
  /// Whose file systems are gone, for now.
  var away: [RelativePath] = []
  /// What was looked at, whatever came of it.
  var paths: Set<RelativePath> = []
  /// Of all files that are to be stored.
  private(set) var fileBytes = 0
  private var holders: [ExactName: RelativePath] = [:]

  mutating func put(
    _ recording: Recording, files: DerivedFiles = DerivedFiles(), notes: [String] = [], started: Int64? = nil
  ) {
    entries.append(Entry(recording: recording, files: files, notes: notes, started: started))
    fileBytes += Int(clamping: files.length)
    if recording.contestedName == nil { holders[ExactName(recording.name)] = recording.path }
  }

  /// The file that will have this name when the batch is stored.
  func holder(of name: String, else registry: RecordingRegistry) -> RelativePath? {
    if let holder = holders[ExactName(name)] { return holder }
    return registry.holder(of: name).flatMap { removals.contains($0) ? nil : $0 }
  }
}
