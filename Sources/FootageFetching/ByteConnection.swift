package import FootageSystem

/// A connection to one server as bytes in and bytes out, encrypted or not, whatever carries them.
///
/// Belongs to its executor's thread. One task reads and writes it; other tasks on that thread may call `abort`. A
/// connection is handed over only after its server has proved to be the right one.
package protocol ByteConnection: AnyObject {
  /// The clock that times the requests of this connection.
  var clock: Clock { get }

  /// The number of bytes handed to the system since the connection began. As long as it stays the same, nothing has
  /// reached the server.
  var handedOverByteCount: UInt64 { get }

  /// Sends as many of the bytes as the system accepts at once, and keeps the rest for `flush`.
  ///
  /// - Precondition: nothing is left from an earlier call, and there are `ClientLimits.turn` bytes at most.
  /// - Returns: true if all of it went out.
  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) -> Bool

  /// Waits until the system has accepted everything that was left. It goes on as long as the system accepts some of it
  /// now and then.
  ///
  /// - Parameter idle: the longest time in which the system may accept nothing.
  func flush(idle: Duration) async throws(ConnectionError)

  /// Waits until the system has accepted everything that was left, or until bytes have arrived. Those have to be
  /// received before the next call.
  ///
  /// - Parameter idle: the longest time in which neither may happen.
  /// - Returns: true if everything was accepted.
  func flushUntilReadable(idle: Duration) async throws(ConnectionError) -> Bool

  /// Waits for bytes and lends them to `body`, only during the call.
  ///
  /// - Returns: false if the server has ended the connection.
  func receive(
    until deadline: Deadline, _ body: (UnsafeRawBufferPointer) -> Void
  ) async throws(ConnectionError) -> Bool

  /// Lends the bytes that have already arrived to `body`, only during the call. Never waits.
  func receiveNow(_ body: (UnsafeRawBufferPointer) -> Void) throws(ConnectionError) -> ReceivedBytes

  /// Checks for data or an end of the connection that arrived while no task waited for it. Data for TLS alone does not
  /// count.
  ///
  /// - Returns: true if there was any, in which case the connection is of no more use.
  func takeNews() -> Bool

  /// Makes the next call ask the system for bytes although it has reported none. Used after a failure.
  func expectBytes()

  /// Closes with a goodbye. Does not wait if the system cannot accept that at once.
  func close()

  /// Closes without a goodbye, so that the server cannot mistake what it has received for the whole.
  func abort()
}

/// The result of an attempt to receive bytes without waiting.
package enum ReceivedBytes { case lent, closed, wouldBlock }
