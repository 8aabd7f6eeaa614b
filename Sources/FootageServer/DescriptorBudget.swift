/// The division of a process's file descriptors between connections and recordings.

/// The number of connections, open recordings and views that the descriptors of a process allow. Pure. Without this
/// division, viewers would use up all descriptors, and none would be left to open a recording with.
struct DescriptorBudget: Equatable {
  /// The maximum number of connections.
  let connections: Int
  /// The maximum number of recordings that each loop may hold open between requests.
  let recordingsPerLoop: Int
  /// The maximum number of views that may be unfinished at a time.
  let views: Int

  /// The maximum number of open recordings per loop. A loop gains nothing from more.
  private static let mostRecordingsPerLoop = 64
  /// The number of descriptors for an open recording: its file and its head.
  private static let descriptorsPerRecording = 2
  /// The descriptors for short-lived uses: looks at files, reading certificates, and clients that ask for the server's
  /// status.
  private static let reserve = 16 + StatusServer.descriptorCount
  /// The maximum number of connections that wait for a place. The limit is a sixteenth of the available descriptors,
  /// but at most this number.
  private static let mostHeld = 64
  /// The maximum number of views. A view is one file, and its share is limited in the same way.
  private static let mostViews = 64

  /// - Parameters:
  ///   - limit: the number of descriptors that the process may have.
  ///   - used: the number that it has without a single viewer.
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
