package import FootageHTTP
package import FootageSystem
package import FootageAPI

/// What a handler is asked: a head, who sent it, and a body to pull. Belongs to its loop's thread, and ends with its
/// answer.
package struct Request {
  package let head: RequestHead
  /// What the request came over.
  package let connection: any RequestConnection

  package init(_ head: RequestHead, over connection: any RequestConnection) {
    self.head = head
    self.connection = connection
  }

  /// The client's end.
  package var peer: SocketAddress { connection.peer }

  /// Who the client is by its certificate; nil where none was shown.
  package var identity: ClientIdentity? { connection.identity }

  /// Who asks, where it is over a socket with a path on this machine; nil where it is over a network.
  package var localPeer: LocalPeer? { connection.localPeer }

  /// What deadlines of the connection are moments of.
  package var clock: Clock { connection.clock }

  /// What follows the head. A handler that needs none of it leaves it alone.
  package var body: RequestBody { RequestBody(head.body, over: connection) }
}

/// What a request came over, as far as a handler has to do with it. Belongs to its loop's thread.
package protocol RequestConnection: AnyObject {
  /// The client's end.
  var peer: SocketAddress { get }

  /// Who the client is by its certificate; nil where none was shown.
  var identity: ClientIdentity? { get }

  /// Who the client is, where it came to a socket with a path on this machine; nil of any other.
  var localPeer: LocalPeer? { get }

  /// What deadlines of the connection are moments of.
  var clock: Clock { get }

  /// What the handler wants to know again with the connection's next request.
  var note: AnyObject? { get set }

  /// Waits for the next bytes of the body of the request that is being answered.
  ///
  /// - Returns: at least one byte, or nil once the body is whole.
  func nextBodyBytes(within limit: RequestBodyLimit) async throws(RequestBodyError) -> [UInt8]?

  /// Keeps the request waiting, which takes no thread: until `endHold` is called, and no longer than its client, its
  /// connection and this server go on. A connection that is held is given up where another one needs its place; then,
  /// too, the request is answered, as it is when this returns.
  ///
  /// - Returns: whether `endHold` was called. Otherwise the answer is due now.
  func hold(until deadline: Deadline) async -> Bool

  /// Ends the hold, where there is one.
  func endHold()
}
