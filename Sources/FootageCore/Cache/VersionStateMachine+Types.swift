/// The data that the state machine manages, and its decisions.
extension VersionStateMachine {
  struct Reader: Sendable {
    let use: FetchPriority
    /// The range that the reader will read.
    let range: Range<UInt64>
    /// The offset up to which the reader has read.
    var position: UInt64
    var waitingSince: Duration?
    /// True if the reader waits for all of its range, and not for the next byte.
    var waitsForAll = false
    /// True if the reader has received the error that the robot cannot be reached. Its next read tries again.
    var wasLetGo = false
  }

  struct Fetch: Sendable {
    /// True if the fetch fills holes, and serves no player.
    let isFill: Bool
    /// True if the fetch repeats the request of another fetch, which is silent.
    var isRival = false
    /// True if the fetch's reader has left, but the fetch may finish because few bytes are outstanding. Its connection
    /// can then be reused without a new handshake.
    var isRunningOut = false
    let started: Duration
    /// True if bytes of the fetch have arrived.
    var hasBytes = false
    /// The offset of the next byte.
    var position: UInt64
    /// The end of the bytes that are used from the fetch. The request itself may ask for more.
    var end: UInt64
    var lastByte: Duration
  }

  /// The way in which a request is made.
  enum Manner: Hashable, Sendable {
    case usual
    /// The request delivers no faster than the rate at which holes are to be filled.
    case paced
    /// The request uses a new connection, because open ones may be broken.
    case onNewConnection
  }

  /// An action to carry out. Actions are carried out in order.
  enum Action: Hashable, Sendable {
    case start(FetchID, Range<UInt64>, Manner)
    case stop(FetchID)
    /// The reader must call `read` or `hold` again: bytes have arrived, or will not arrive.
    case wake(ReaderID)
    /// The received bytes have to be made durable.
    case commit
  }

  enum ReadDecision: Hashable, Sendable {
    /// These bytes can be read from the file.
    case local(Range<UInt64>)
    /// The reader waits until `wake`.
    case wait
    /// Nothing is stored: the reader must fetch these bytes itself, bypassing the cache.
    case direct(Range<UInt64>)
    case fail(FetchFailure)
  }

  enum HoldDecision: Hashable, Sendable {
    case done
    /// The reader waits until `wake`.
    case wait
    case fail(FetchFailure)
    case noRoom(FileFailure)
  }
}
