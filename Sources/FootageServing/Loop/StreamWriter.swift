internal import FootageSystem

/// The bytes that a connection has yet to send, and the size of its turns. The writer has no socket: the caller passes
/// a function that accepts as many bytes as the socket can.
struct StreamWriter {
  /// A function that accepts bytes and returns how many; 0 if there is no room.
  typealias Socket = (UnsafeRawBufferPointer) throws(StreamError) -> Int

  /// The bytes that the socket has not accepted yet, from `start` on.
  private var bytes: [UInt8] = []
  private var start = 0
  /// True if the bytes have not been offered to the socket yet, because they are sent together with the next ones.
  private(set) var isDeferred = false
  private var throughput: PeerThroughput
  /// The number of bytes to send at once: as many as the socket has accepted recently, so that few bytes wait for a
  /// slow reader.
  private(set) var turnByteCount: Int

  static let smallestTurn = 32 * 1024

  init(firstTurn: Int, since now: Deadline) {
    turnByteCount = firstTurn
    throughput = PeerThroughput(since: now)
  }

  /// True if no bytes wait.
  var isEmpty: Bool { bytes.isEmpty }

  /// The number of bytes that wait for the socket.
  var waitingByteCount: Int { bytes.count - start }

  /// The memory that the waiting bytes occupy, in bytes.
  var storedByteCount: Int { bytes.count }

  /// Sends bytes after those that wait, and keeps those that the socket does not accept.
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

  /// Keeps bytes until the next ones are sent. No bytes may be waiting.
  mutating func deferSending(_ new: UnsafeRawBufferPointer) {
    unsafe bytes = Array(new)
    isDeferred = true
  }

  /// Removes and returns the bytes that `deferSending` has kept. They must be sent before the next ones.
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

  /// Records that a turn was sent, of which the socket may have accepted only a part.
  ///
  /// - Parameters:
  ///   - byteCount: the size of the turn before it was encrypted.
  ///   - now: returns the present time; called only if bytes are left.
  /// - Returns: true if the peer is fast; nil if that is not known.
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
