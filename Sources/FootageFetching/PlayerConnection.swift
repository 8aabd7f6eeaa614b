/// A connection that a program on this device has made to the proxy.
package protocol PlayerConnection: ByteConnection {
  /// The number of bytes that may be sent at once now. It is smaller while much unsent data is buffered for players
  /// that receive nothing, and at most `ClientLimits.turn`.
  var turnByteCount: Int { get }

  /// Calls `action` when one end of the connection closes while the task waits for something else, or at once if it is
  /// closed already. Nil removes the action.
  func onEnd(_ action: (() -> Void)?)

  /// Ends sending, and waits a moment for the peer to read the sent bytes. If this side closed at once while the peer
  /// still sends, the system would discard the sent bytes.
  func lingeringClose() async
}
