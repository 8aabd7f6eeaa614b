/// A connection that somebody on this device has made to the proxy.
package protocol PlayerConnection: ByteConnection {
  /// How much may be sent in one go just now, in bytes: less where much waits for players who take nothing. At most
  /// `ClientLimits.turn`.
  var turnByteCount: Int { get }

  /// Has `action` called when the other end has gone, or this one, while something else is waited for; at once where it has
  /// gone already. Nil for nothing.
  func onEnd(_ action: (() -> Void)?)

  /// Says goodbye and waits a moment for the other end to read what was sent: what it still sends would have the system
  /// throw that away.
  func lingeringClose() async
}
