package import FootageSystem

/// A connection to one server as bytes in and bytes out, encrypted or not, whatever it is made of.
///
/// Belongs to its executor's thread: one task reads and writes it; `abort` may come from others there. It is handed over
/// when its server has shown that it is the right one, and not before.
package protocol ByteConnection: AnyObject {
  /// What the requests of this connection are timed by.
  var clock: Clock { get }

  /// Handed to the system since the connection began, in bytes: as long as it stays the same, nothing has reached the
  /// server.
  var handedOverByteCount: UInt64 { get }

  /// Sends the bytes at once, as far as the system takes them; the rest is kept for `flush`.
  ///
  /// - Precondition: nothing is left from before, and there are `ClientLimits.turn` bytes at most.
  /// - Returns: whether all of it went out.
  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) -> Bool

  /// Waits until the system has taken all that was left, as long as it takes some of it every now and then.
  ///
  /// - Parameter idle: how long it may take none.
  func flush(idle: Duration) async throws(ConnectionError)

  /// Waits until the system has taken all that was left, or until something has come, which is to be received before it
  /// is waited for again.
  ///
  /// - Parameter idle: how long neither may happen.
  /// - Returns: whether all was taken.
  func flushUntilReadable(idle: Duration) async throws(ConnectionError) -> Bool

  /// Waits for bytes and lends them to `body`, only during the call.
  ///
  /// - Returns: false where the server has ended the connection.
  func receive(
    until deadline: Deadline, _ body: (UnsafeRawBufferPointer) -> Void
  ) async throws(ConnectionError) -> Bool

  /// Lends bytes to `body` that have come already, only during the call. Never waits.
  func receiveNow(_ body: (UnsafeRawBufferPointer) -> Void) throws(ConnectionError) -> ReceivedBytes

  /// Looks for what came although nobody waited for it, the server's end above all. What belongs to TLS alone is none.
  ///
  /// - Returns: whether there was any: then the connection is of no more use.
  func takeNews() -> Bool

  /// Has the system asked for bytes again, though nothing has told of any: after a failure.
  func expectBytes()

  /// Says goodbye and closes. What the system does not take at once is not waited for.
  func close()

  /// Closes without a goodbye, so that the server cannot take what it has for the whole.
  func abort()
}

/// What has come.
package enum ReceivedBytes { case lent, closed, wouldBlock }
