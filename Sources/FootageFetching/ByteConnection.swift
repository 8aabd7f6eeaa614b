package import FootageSystem

/// A connection to one server that carries bytes in both directions, encrypted or not, over any transport.
///
/// Belongs to its executor's thread. One task reads and writes it; other tasks on that thread may call `abort`. A
/// connector returns a connection only after the server has proved its identity.
package protocol ByteConnection: AnyObject {
  /// The clock that times the requests of this connection.
  var clock: Clock { get }

  /// The number of bytes handed to the system since the connection began. While it does not change, nothing more can
  /// have reached the server.
  var handedOverByteCount: UInt64 { get }

  /// Sends as many of the bytes as the system accepts at once, and keeps the rest for `flush`.
  ///
  /// - Precondition: nothing is left from an earlier call, and there are `ClientLimits.turn` bytes at most.
  /// - Returns: true if the system accepted all of them.
  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) -> Bool

  /// Waits until the system has accepted all remaining bytes. It continues as long as the system accepts more of them
  /// within `idle`.
  ///
  /// - Parameter idle: the longest time during which the system may accept nothing.
  func flush(idle: Duration) async throws(ConnectionError)

  /// Waits until the system has accepted all remaining bytes, or until bytes have arrived. Bytes that have arrived must
  /// be received before the next call.
  ///
  /// - Parameter idle: the longest time during which the system may accept nothing while nothing arrives either.
  /// - Returns: true if all bytes were accepted.
  func flushUntilReadable(idle: Duration) async throws(ConnectionError) -> Bool

  /// Waits for bytes and passes them to `body`, where they are valid only during the call.
  ///
  /// - Returns: false if the server has ended the connection.
  func receive(
    until deadline: Deadline, _ body: (UnsafeRawBufferPointer) -> Void
  ) async throws(ConnectionError) -> Bool

  /// Passes the bytes that have already arrived to `body`, where they are valid only during the call. Never waits.
  func receiveNow(_ body: (UnsafeRawBufferPointer) -> Void) throws(ConnectionError) -> ReceivedBytes

  /// Checks whether data, or the end of the connection, has arrived while no task waited for it. Messages of TLS itself
  /// do not count.
  ///
  /// - Returns: true if anything has arrived, in which case the connection can no longer be used.
  func takeNews() -> Bool

  /// Makes the next `receive` or `receiveNow` read from the system even if the system has not reported any bytes. Used
  /// after a failure.
  func expectBytes()

  /// Closes the connection in an orderly way. Does not wait if the system cannot accept the closing message at once.
  func close()

  /// Closes the connection without a closing message, so that the server does not take the data that it has received
  /// for complete.
  func abort()
}

/// The result of an attempt to receive bytes without waiting.
package enum ReceivedBytes { case lent, closed, wouldBlock }
