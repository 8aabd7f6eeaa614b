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
    /// True if the reader was told that the robot is away. Its next read tries again.
    var wasLetGo = false
  }

  struct Fetch: Sendable {
    /// True if the fetch fills holes, and serves no player.
    let isFill: Bool
    /// True if the fetch repeats the request of another one that is silent.
    var isRival = false
    /// True if the fetch's reader has left, and the few bytes that are still to come may come. The connection is then
    /// free again without a handshake.
    var isRunningOut = false
    let started: Duration
    /// True if any bytes of the fetch have come.
    var hasBytes = false
    /// The offset of the next byte.
    var position: UInt64
    /// The end of the bytes that are taken from the fetch. Its request may go on further.
    var end: UInt64
    var lastByte: Duration
  }

  /// The way in which a request is made.
  enum Manner: Hashable, Sendable {
    case usual
    /// The request is no faster than holes are to be filled.
    case paced
    /// The request uses a connection of its own, since the open ones may be dead.
    case onNewConnection
  }

  /// An action to carry out. Actions are carried out in order.
  enum Action: Hashable, Sendable {
    case start(FetchID, Range<UInt64>, Manner)
    case stop(FetchID)
    /// The reader has to ask again: bytes have come, or none will.
    case wake(ReaderID)
    /// The received bytes have to be made durable.
    case commit
  }

  enum ReadDecision: Hashable, Sendable {
    /// These bytes can be read from the file.
    case local(Range<UInt64>)
    /// The reader waits until `wake`.
    case wait
    /// Nothing is stored: these bytes are to be fetched past the cache.
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
