/// Makes connections to one server. Belongs to its executor's thread.
package protocol ConnectionMaker: AnyObject {
  /// How connections were made, since the beginning.
  var statistics: ConnectionStatistics { get }

  /// Finds the server, connects to it and makes sure that it is the right one.
  ///
  /// - Parameters:
  ///   - handle: ends it.
  ///   - duration: for finding and connecting together; nil for the limits.
  ///   - actor: whose executor it belongs to.
  func connect(
    for handle: AbortHandle, within duration: Duration?, on actor: isolated any Actor
  ) async throws(HTTPClientError) -> any ByteConnection
}

/// How connections were made.
package struct ConnectionStatistics: Hashable, Sendable {
  package var connections: Int
  /// By a session ticket.
  package var resumed: Int

  package init(connections: Int = 0, resumed: Int = 0) {
    self.connections = connections
    self.resumed = resumed
  }
}

/// Whether something is still wanted, and how what it waits for is ended. Belongs to its executor's thread.
package class AbortHandle {
  package private(set) var isCancelled = false
  /// Ends what is being waited for.
  package var abort: () -> Void = {}

  package init() {}

  package func cancel() {
    isCancelled = true
    abort()
  }
}
