/// The sizes, counts and times that limit the load on a robot, on a player and on the cache itself.
package struct MediaCacheLimits: Hashable, Sendable {
  package var plan = FetchPlan.Policy()
  /// The distance ahead of a running fetch within which a reader waits for that fetch, in bytes. A reader that needs
  /// bytes beyond it gets a request of its own at once.
  package var waitAheadBytes: UInt64 = 256 << 10
  /// The size of one request, at most, in bytes. More recordings may be playing than there are connections. The size
  /// limits the time for which one recording uses a connection before the next recording gets it.
  package var requestBytes: UInt64 = 16 << 20
  /// The size of one request before anything is known of the link, in bytes.
  package var firstPieceBytes: UInt64 = 512 << 10
  /// The size of one request, at least, in bytes, unless fewer bytes are missing.
  package var leastPieceBytes: UInt64 = 256 << 10
  /// The minimum time that the bytes of one request take on the link. A request asks for the bytes that arrive in one
  /// round trip, or in this time if it is longer. Requests are short, so that a request that a seek has made useless
  /// ends soon, and frees its connection.
  package var pieceTime: Duration = .milliseconds(100)
  /// The number of outstanding bytes below which the next piece is requested, at least. `lookAhead` is the same limit
  /// in round trips, and the larger of the two applies. With less than one round trip outstanding, the link would be
  /// idle. With more than necessary, a seek would have to wait.
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
  /// The number of received bytes at which a commit begins, which makes them durable. A commit also begins
  /// `commitDelay` after the first of them, when the last reader has left, and when the version is complete.
  package var commitBytes: UInt64 = 8 << 20
  package var commitDelay: Duration = .seconds(1)
  /// The maximum size of a fragment, in bytes. Bytes beyond it begin a new fragment, with a new row in the index.
  package var fragmentBytes: UInt64 = 8 << 20
  /// The size of a block, which has one checksum, in bytes. The first read of a byte reads its whole block, and one
  /// damaged byte makes the whole block useless.
  package var checksumBytes: UInt64 = 64 << 10
  /// The time without a byte after which a fetch is given up and started again.
  package var fetchIdle: Duration = .seconds(30)
  /// The time without a byte after which a waiting player's request is repeated on a new connection. If the new request
  /// delivers nothing either, another one replaces it after `rivalAgain`. The original request may never recover: when
  /// a network comes back, requests that were sent during the outage remain unanswered.
  package var rival: Duration = .milliseconds(2750)
  package var rivalAgain: Duration = .seconds(2)
  /// The time without a read after which a reader that bypasses the cache releases its connection, for example because
  /// its player is paused. A robot has few connections.
  package var directIdle: Duration = .seconds(10)
  /// The time without a byte after which a waiting player is reported as stalled.
  package var stalled: Duration = .seconds(2)
  /// The first pause before a fetch is started again. It doubles each time, up to `retryMaximum`.
  package var retryBase: Duration = .milliseconds(250)
  package var retryMaximum: Duration = .seconds(10)
  /// The longest pause before a fetch is started again while a player waits for it.
  package var retryWaiting: Duration = .seconds(2)
  /// The time without a byte after which readers that wait get the error that the robot cannot be reached.
  package var giveUp: Duration = .seconds(60)
  /// The pause before a player's request continues after a failure that did not end it.
  package var failurePause: Duration = .seconds(5)
  /// The time after a failure to store bytes during which nothing is stored. The first reader that is added after this
  /// time makes the cache try to store again.
  package var storeAgain: Duration = .seconds(10)
  /// The time between two checks of a running playback's deadlines and state.
  package var tick: Duration = .milliseconds(250)
  /// The number of bytes for which a version requests room at a time.
  package var reservationBytes: UInt64 = 4 << 20
  /// The size of one read, at most, in bytes.
  package var readBytes = 256 << 10
  /// The number of bytes at the beginning of a recording that are read, at most, to find its duration.
  package var headBytes: UInt64 = 64 << 20

  package init() {}
}
