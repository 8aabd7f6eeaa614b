/// The division of a process's file descriptors between connections and recordings.

/// The number of connections, open recordings and views that the descriptors of a process allow. The result depends
/// only on the arguments. Without this division, connections could use up all descriptors, and no recording could be
/// opened.
struct DescriptorBudget: Equatable {
  /// The maximum number of connections.
  let connections: Int
  /// The maximum number of recordings that each loop may hold open between requests.
  let recordingsPerLoop: Int
  /// The maximum number of views that may be unfinished at a time.
  let views: Int

  /// The maximum number of open recordings per loop. More do not make a loop faster.
  private static let mostRecordingsPerLoop = 64
  /// The number of descriptors for an open recording: its file and the file of its preamble.
  private static let descriptorsPerRecording = 2
  /// The descriptors for short-lived uses: examining files, reading certificates, and clients that ask for the server's
  /// status.
  private static let reserve = 16 + StatusServer.descriptorCount
  /// The maximum number of connections that wait until another connection closes. The limit is a sixteenth of the
  /// available descriptors, but at most this number.
  private static let mostHeld = 64
  /// The maximum number of views. Each view has one file open, and views get the same share of descriptors as waiting
  /// connections.
  private static let mostViews = 64

  /// - Parameters:
  ///   - limit: the number of descriptors that the process may have.
  ///   - used: the number of descriptors that it uses without any client.
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
