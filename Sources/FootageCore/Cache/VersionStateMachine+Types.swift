/// What the state machine keeps books on, and what it says.
extension VersionStateMachine {
  struct Reader: Sendable {
    let use: FetchPriority
    /// What it will read.
    let range: Range<UInt64>
    /// What it has read up to.
    var position: UInt64
    var waitingSince: Duration?
    /// Whether it waits for the last byte of its range, and not for the next one.
    var waitsForAll = false
    /// It was told that the robot is away; what it reads then tries again.
    var wasLetGo = false
  }

  struct Fetch: Sendable {
    /// Fills holes, and plays for nobody.
    let isFill: Bool
    /// Asked again for what another one should have brought, which says nothing.
    var isRival = false
    /// Its reader has left, and what little is still to come may come: so the connection is free again without a
    /// handshake.
    var isRunningOut = false
    let started: Duration
    /// Whether any of it has come.
    var hasBytes = false
    /// Of the next byte.
    var position: UInt64
    /// Of what is taken from it; its request may go on further.
    var end: UInt64
    var lastByte: Duration
  }

  /// How a request is made.
  enum Manner: Hashable, Sendable {
    case usual
    /// Not faster than holes are to be filled.
    case paced
    /// On a connection of its own, since those that are open may be dead.
    case onNewConnection
  }

  /// To be carried out in this order.
  enum Action: Hashable, Sendable {
    case start(FetchID, Range<UInt64>, Manner)
    case stop(FetchID)
    /// The reader is to ask again: something has come, or nothing will.
    case wake(ReaderID)
    /// What was received is to be made durable.
    case commit
  }

  enum ReadDecision: Hashable, Sendable {
    /// These bytes can be read from the file.
    case local(Range<UInt64>)
    /// Until `wake`.
    case wait
    /// Nothing is stored: fetch them past the cache.
    case direct(Range<UInt64>)
    case fail(FetchFailure)
  }

  enum HoldDecision: Hashable, Sendable {
    case done
    /// Until `wake`.
    case wait
    case fail(FetchFailure)
    case noRoom(FileFailure)
  }
}
