/// A connection that a program on this device has made to the proxy.
package protocol PlayerConnection: ByteConnection {
  /// The number of bytes that may be sent in one go now. It is smaller while much data waits for players that accept
  /// nothing, and at most `ClientLimits.turn`.
  var turnByteCount: Int { get }

  /// Calls `action` when either end of the connection is gone while the task waits for something else, or at once if it
  /// is gone already. Nil removes the action.
  func onEnd(_ action: (() -> Void)?)

  /// Sends a goodbye and waits a moment for the peer to read what was sent. If this side closed at once while the peer
  /// still sends, the system would throw those bytes away.
  func lingeringClose() async
}
