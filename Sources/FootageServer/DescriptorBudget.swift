/// How the files that a process may have open are shared out between connections and recordings.

/// Pure. Without it, viewers take all there are, and nothing is left to open a recording with.
struct DescriptorBudget: Equatable {
  /// How many connections there may be.
  let connections: Int
  /// How many recordings each loop may hold open between requests.
  let recordingsPerLoop: Int
  /// How many views may be unfinished at a time.
  let views: Int

  /// A loop gains nothing from more.
  private static let mostRecordingsPerLoop = 64
  /// A recording is its file and its head.
  private static let descriptorsPerRecording = 2
  /// What comes and goes: looks at files, certificates that are read, and who asks how the server is.
  private static let reserve = 16 + StatusServer.descriptorCount
  /// Connections that wait for a place are a sixteenth of those that could be, and not more than this.
  private static let mostHeld = 64
  /// A view is one file; the same holds for its share.
  private static let mostViews = 64

  /// - Parameters:
  ///   - limit: descriptors that the process may have.
  ///   - used: those it has without a single viewer.
  init(limit: Int, used: Int, wantedConnections: Int, loops: Int) {
    let held = min(Self.mostHeld, max(0, limit - used) / 16)
    views = min(Self.mostViews, max(1, (limit - used) / 16))
    let free = max(8, limit - used - Self.reserve - held - views)
    let most = Self.mostRecordingsPerLoop * Self.descriptorsPerRecording * loops
    let forRecordings = min(most, free / 2)
    recordingsPerLoop = max(1, forRecordings / (Self.descriptorsPerRecording * loops))
    connections = min(wantedConnections, free - forRecordings)
  }
}
