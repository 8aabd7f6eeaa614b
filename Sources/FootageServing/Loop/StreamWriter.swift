internal import FootageSystem

/// What a connection has yet to send, and how much it sends in one go. It keeps account: the socket is the caller's, as
/// a function that takes what it can.
struct StreamWriter {
  /// Takes bytes, and says how many; 0 where there is no room.
  typealias Socket = (UnsafeRawBufferPointer) throws(StreamError) -> Int

  /// Not yet taken by the socket, from `start` on.
  private var bytes: [UInt8] = []
  private var start = 0
  /// Whether the socket was not even asked to take them: they go out with what is sent next.
  private(set) var isDeferred = false
  private var throughput: PeerThroughput
  /// How much to send in one go: as much as the socket took lately, so that little is left behind for a slow reader.
  private(set) var turnByteCount: Int

  static let smallestTurn = 32 * 1024

  init(firstTurn: Int, since now: Deadline) {
    turnByteCount = firstTurn
    throughput = PeerThroughput(since: now)
  }

  /// Whether nothing waits.
  var isEmpty: Bool { bytes.isEmpty }

  /// How many bytes wait for the socket.
  var waitingByteCount: Int { bytes.count - start }

  /// How much memory that takes, in bytes.
  var storedByteCount: Int { bytes.count }

  /// Sends bytes behind those that wait. What the socket does not take is kept.
  mutating func send(_ new: UnsafeRawBufferPointer, to socket: Socket) throws(StreamError) {
    guard isEmpty else {
      unsafe bytes.append(contentsOf: new)
      if isDeferred { unsafe try flush(to: socket) }
      return
    }
    let count = unsafe try socket(new)
    if count < new.count { unsafe bytes = Array(new[count...]) }
  }

  /// Offers the socket what waits.
  mutating func flush(to socket: Socket) throws(StreamError) {
    isDeferred = false
    start += unsafe try bytes[start...].withUnsafeBufferPointer { (rest) throws(StreamError) in
      unsafe try socket(UnsafeRawBufferPointer(rest))
    }
    if start == bytes.count { removeAll() }
  }

  /// Keeps bytes for company, where nothing waits.
  mutating func deferSending(_ new: UnsafeRawBufferPointer) {
    unsafe bytes = Array(new)
    isDeferred = true
  }

  /// Gives back what was kept for company: it stands before what is sent next.
  mutating func takeDeferred() -> [UInt8] {
    guard isDeferred else { return [] }
    defer { removeAll() }
    return bytes
  }

  /// Lets go of all that waits.
  mutating func removeAll() {
    bytes = []
    start = 0
    isDeferred = false
  }

  /// A turn was sent, and the socket has taken all of it or not.
  ///
  /// - Parameters:
  ///   - byteCount: of the turn, as it was before it was encrypted.
  ///   - now: asked for only where something is left.
  /// - Returns: whether the peer takes what a fast one does; nil where that is not known.
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
