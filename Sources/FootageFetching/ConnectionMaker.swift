/// A maker of connections to one server. Belongs to its executor's thread.
package protocol ConnectionMaker: AnyObject {
  /// The numbers of connections made since the beginning.
  var statistics: ConnectionStatistics { get }

  /// Finds the server, connects to it and verifies its identity.
  ///
  /// - Parameters:
  ///   - handle: ends the attempt.
  ///   - duration: the time for finding and connecting together; nil for the times in the limits.
  ///   - actor: an actor on the executor to which the maker belongs.
  func connect(
    for handle: AbortHandle, within duration: Duration?, on actor: isolated any Actor
  ) async throws(HTTPClientError) -> any ByteConnection
}

/// The numbers of connections that were made.
package struct ConnectionStatistics: Hashable, Sendable {
  package var connections: Int
  /// The number of connections resumed with a session ticket.
  package var resumed: Int

  package init(connections: Int = 0, resumed: Int = 0) {
    self.connections = connections
    self.resumed = resumed
  }
}

/// A handle by which a wait is canceled if its result is no longer wanted. Belongs to its executor's thread.
package class AbortHandle {
  package private(set) var isCancelled = false
  /// The function that ends the current wait.
  package var abort: () -> Void = {}

  package init() {}

  package func cancel() {
    isCancelled = true
    abort()
  }
}
