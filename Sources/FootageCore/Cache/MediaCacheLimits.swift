/// The sizes, counts and times that keep the demands on a robot, on a player and on the cache itself within reason.
package struct MediaCacheLimits: Hashable, Sendable {
  package var plan = FetchPlan.Policy()
  /// The distance ahead of a running fetch within which a reader waits for that fetch, in bytes. A reader that needs
  /// bytes beyond it gets a request of its own at once.
  package var waitAheadBytes: UInt64 = 256 << 10
  /// The size of one request, at most, in bytes. There may be more recordings playing than connections. This size
  /// bounds how long one recording has a connection before the next in turn.
  package var requestBytes: UInt64 = 16 << 20
  /// The size of one request before anything is known of the link, in bytes.
  package var firstPieceBytes: UInt64 = 512 << 10
  /// The size of one request, at least, in bytes, if there is as much to ask for.
  package var leastPieceBytes: UInt64 = 256 << 10
  /// The least time that a request covers. A request asks for the bytes that come in a round trip, or in this time,
  /// whichever is longer. What a seek abandons is then over soon, and its connection is free again.
  package var pieceTime: Duration = .milliseconds(100)
  /// The number of outstanding bytes below which the next piece is requested. If `lookAhead` round trips bring more,
  /// their bytes count instead. With less than one round trip outstanding, the link would be idle. With more, a seek
  /// would have to wait.
  package var lookAheadBytes: UInt64 = 64 << 10
  package var lookAhead = 1.25
  /// The number of round trips within which a request that is no longer needed may finish.
  package var runningOut = 3.0
  /// The read-ahead of a player while the recording's time line is unknown, in bytes.
  package var unknownReadAheadBytes: UInt64 = 16 << 20
  /// The read-ahead of a player, at least, in bytes.
  package var leastReadAheadBytes: UInt64 = 256 << 10
  /// The number of requests that may run at once for one version.
  package var fetches = 6
  /// The number of received bytes after which they are made durable. That also happens `commitDelay` after the first of
  /// them, when the last reader has left, and when the version is complete.
  package var commitBytes: UInt64 = 8 << 20
  package var commitDelay: Duration = .seconds(1)
  /// The size up to which a committed fragment grows, in bytes. Then a new row begins.
  package var fragmentBytes: UInt64 = 8 << 20
  /// The number of bytes that one checksum covers. The first read of a byte reads all of them, and one damaged byte
  /// costs all of them.
  package var checksumBytes: UInt64 = 64 << 10
  /// The time without a byte after which a fetch is given up and started again.
  package var fetchIdle: Duration = .seconds(30)
  /// The time without a byte after which a waiting player gets another request, on a new connection. `rivalAgain`
  /// later, a new request replaces that one. A network that comes back does not wake the requests that were sent while
  /// it was away.
  package var rival: Duration = .milliseconds(2750)
  package var rivalAgain: Duration = .seconds(2)
  /// The time without a read after which a reader that goes past the cache, such as that of a paused player, releases
  /// its connection. A robot has few connections.
  package var directIdle: Duration = .seconds(10)
  /// The time without a byte after which a waiting player is shown as stalled.
  package var stalled: Duration = .seconds(2)
  /// The first pause before a fetch is started again. It doubles each time, up to `retryMaximum`.
  package var retryBase: Duration = .milliseconds(250)
  package var retryMaximum: Duration = .seconds(10)
  /// The longest pause while a player waits.
  package var retryWaiting: Duration = .seconds(2)
  /// The time without a byte after which waiting readers learn that the robot is away.
  package var giveUp: Duration = .seconds(60)
  /// The pause after which a player's request that outlasts a failure is resumed.
  package var failurePause: Duration = .seconds(5)
  /// The time since a failure to store after which a new reader makes the cache try to store again.
  package var storeAgain: Duration = .seconds(10)
  /// The time between two examinations of a running playback, for its deadlines and its states.
  package var tick: Duration = .milliseconds(250)
  /// The step by which room is requested, in bytes.
  package var reservationBytes: UInt64 = 4 << 20
  /// The size of one read, at most, in bytes.
  package var readBytes = 256 << 10
  /// The number of bytes that are read of a recording, at most, before its length in seconds is known.
  package var headBytes: UInt64 = 64 << 20

  package init() {}
}
