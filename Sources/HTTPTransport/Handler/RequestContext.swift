package import Networking
package import System

/// What a handler may know of the connection that a request came over, and the way in which it keeps the request waiting.
/// Belongs to its loop's thread.
package protocol RequestContext: AnyObject {
  /// The client's end.
  var peer: SocketAddress { get }

  /// The name in the client's certificate, as its authority wrote it; nil where none was shown.
  var clientName: String? { get }

  /// What deadlines of the connection are moments of.
  var clock: Clock { get }

  /// Keeps the request waiting, which takes no thread: until `endHold` is called, and no longer than its client, its
  /// connection and this server go on. A connection that is held is given up where another one needs its place; then,
  /// too, the request is answered, as it is when this returns.
  ///
  /// - Returns: whether `endHold` was called. Otherwise the answer is due now.
  func hold(until deadline: Deadline) async -> Bool

  /// Ends the hold, where there is one.
  func endHold()
}
