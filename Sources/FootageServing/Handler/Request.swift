package import FootageHTTP
package import FootageSystem
package import FootageAPI

/// A request for a handler: its head, its client, and its body, which is read on demand. Belongs to its loop's thread,
/// and ends with its answer.
package struct Request {
  package let head: RequestHead
  /// The connection over which the request was sent.
  package let connection: any RequestConnection

  package init(_ head: RequestHead, over connection: any RequestConnection) {
    self.head = head
    self.connection = connection
  }

  /// The client's address.
  package var peer: SocketAddress { connection.peer }

  /// The client's identity by its certificate; nil if it showed none.
  package var identity: ClientIdentity? { connection.identity }

  /// The client's process, if it connected to a socket with a path on this machine; nil if it came over a network.
  package var localPeer: LocalPeer? { connection.localPeer }

  /// The clock of the connection's deadlines.
  package var clock: Clock { connection.clock }

  /// The body that follows the head. A handler that does not need the body ignores it.
  package var body: RequestBody { RequestBody(head.body, over: connection) }
}

/// The connection of a request, as far as a handler uses it. Belongs to its loop's thread.
package protocol RequestConnection: AnyObject {
  /// The client's address.
  var peer: SocketAddress { get }

  /// The client's identity by its certificate; nil if it showed none.
  var identity: ClientIdentity? { get }

  /// The client's process, if it connected to a socket with a path on this machine; nil otherwise.
  var localPeer: LocalPeer? { get }

  /// The clock of the connection's deadlines.
  var clock: Clock { get }

  /// A value that the handler keeps for the connection's next request.
  var note: AnyObject? { get set }

  /// Waits for the next bytes of the body of the request that is being answered.
  ///
  /// - Returns: at least one byte, or nil once the body is complete.
  func nextBodyBytes(within limit: RequestBodyLimit) async throws(RequestBodyError) -> [UInt8]?

  /// Keeps the request waiting, without occupying a thread, until `endHold` is called. The wait also ends if the client
  /// leaves, the connection fails or the server stops, and if another connection needs the place of this one. In the
  /// last case, the request is still answered before the connection closes.
  ///
  /// - Returns: true if `endHold` was called. Otherwise the request must be answered now.
  func hold(until deadline: Deadline) async -> Bool

  /// Ends the hold, if there is one.
  func endHold()
}
