internal import FootageSystem

/// The bytes that a connection has yet to send, and the size of its turns. The writer only keeps account. The socket is
/// the caller's, passed as a function that accepts as many bytes as it can.
struct StreamWriter {
  /// A function that accepts bytes and returns how many; 0 if there is no room.
  typealias Socket = (UnsafeRawBufferPointer) throws(StreamError) -> Int

  /// The bytes that the socket has not accepted yet, from `start` on.
  private var bytes: [UInt8] = []
  private var start = 0
  /// True if the socket was not offered the bytes yet, because they go out with what is sent next.
  private(set) var isDeferred = false
  private var throughput: PeerThroughput
  /// The number of bytes to send in one go: as much as the socket accepted lately, so that little waits for a slow
  /// reader.
  private(set) var turnByteCount: Int

  static let smallestTurn = 32 * 1024

  init(firstTurn: Int, since now: Deadline) {
    turnByteCount = firstTurn
    throughput = PeerThroughput(since: now)
  }

  /// True if nothing waits.
  var isEmpty: Bool { bytes.isEmpty }

  /// The number of bytes that wait for the socket.
  var waitingByteCount: Int { bytes.count - start }

  /// The memory that they take, in bytes.
  var storedByteCount: Int { bytes.count }

  /// Sends bytes after those that wait. Keeps what the socket does not accept.
  mutating func send(_ new: UnsafeRawBufferPointer, to socket: Socket) throws(StreamError) {
    guard isEmpty else {
      unsafe bytes.append(contentsOf: new)
      if isDeferred { unsafe try flush(to: socket) }
      return
    }
    let count = unsafe try socket(new)
    if count < new.count { unsafe bytes = Array(new[count...]) }
  }

  /// Offers the waiting bytes to the socket.
  mutating func flush(to socket: Socket) throws(StreamError) {
    isDeferred = false
    start += unsafe try bytes[start...].withUnsafeBufferPointer { (rest) throws(StreamError) in
      unsafe try socket(UnsafeRawBufferPointer(rest))
    }
    if start == bytes.count { removeAll() }
  }

  /// Keeps bytes until the next ones are sent. Nothing may be waiting.
  mutating func deferSending(_ new: UnsafeRawBufferPointer) {
    unsafe bytes = Array(new)
    isDeferred = true
  }

  /// Returns the bytes that were kept in that way. They belong before what is sent next.
  mutating func takeDeferred() -> [UInt8] {
    guard isDeferred else { return [] }
    defer { removeAll() }
    return bytes
  }

  /// Drops all waiting bytes.
  mutating func removeAll() {
    bytes = []
    start = 0
    isDeferred = false
  }

  /// Records that a turn was sent, and that the socket has accepted all of it or not.
  ///
  /// - Parameters:
  ///   - byteCount: the size of the turn before it was encrypted.
  ///   - now: called only if something is left.
  /// - Returns: true if the peer is a fast one; nil if that is not known.
  mutating func endTurn(of byteCount: Int, at now: () -> Deadline) -> Bool? {
    throughput.add(byteCount)
    guard !isEmpty else {
      turnByteCount = min(turnByteCount * 2, BufferSize.turn)
      return nil
    }
    turnByteCount = max(turnByteCount / 2, Self.smallestTurn)
    return throughput.isFast(at: now())
  }
}
