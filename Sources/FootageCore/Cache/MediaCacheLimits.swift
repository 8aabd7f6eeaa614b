/// Every size, count and time by which the cache holds a robot, a player and itself to reason.
package struct MediaCacheLimits: Hashable, Sendable {
  package var plan = FetchPlan.Policy()
  /// A reader that needs bytes at most so far ahead of a running fetch waits for it; one that needs others has a
  /// request of its own at once.
  package var waitAheadBytes: UInt64 = 256 << 10
  /// Of one request, at most, in bytes: there are fewer connections than there may be recordings playing, and this is
  /// how long one recording has one of them before the next in turn.
  package var requestBytes: UInt64 = 16 << 20
  /// Of one request before anything is known of the link, in bytes.
  package var firstPieceBytes: UInt64 = 512 << 10
  /// Of one request, at least, in bytes, if there is as much to ask for.
  package var leastPieceBytes: UInt64 = 256 << 10
  /// A request asks for what comes in a round trip, or in this time, whichever is longer: what a seek leaves behind is
  /// over soon, and the connection free again.
  package var pieceTime: Duration = .milliseconds(100)
  /// The next piece is asked for when as much is left of the others, in bytes, or what comes in so many round trips:
  /// with less than one the link would be idle, and behind more a seek has to wait.
  package var lookAheadBytes: UInt64 = 64 << 10
  package var lookAhead = 1.25
  /// What nobody needs any more may run out, as far as it comes in so many round trips.
  package var runningOut = 3.0
  /// What is fetched ahead of a player whose recording's seconds are not known, in bytes.
  package var unknownReadAheadBytes: UInt64 = 16 << 20
  /// What is fetched ahead of a player at least, in bytes.
  package var leastReadAheadBytes: UInt64 = 256 << 10
  /// Requests at once for one version.
  package var fetches = 6
  /// What was received is made durable after so many bytes, or so long after the first of them, or when the fetch ends.
  package var commitBytes: UInt64 = 8 << 20
  package var commitDelay: Duration = .seconds(1)
  /// A committed fragment grows up to this size, in bytes, then a new row begins.
  package var fragmentBytes: UInt64 = 8 << 20
  /// What one checksum covers, in bytes: what the first read of a byte reads with it, and what one damaged byte costs.
  package var checksumBytes: UInt64 = 64 << 10
  /// A fetch without a byte for so long is given up and taken up again.
  package var fetchIdle: Duration = .seconds(30)
  /// After so long without a byte, a player that waits gets another request, on a new connection; and again so much
  /// later, in the place of that one: a network that comes back does not wake what was asked for while it was away.
  package var rival: Duration = .milliseconds(2750)
  package var rivalAgain: Duration = .seconds(2)
  /// A reader that goes past the cache and asks for nothing for so long, as that of a paused player, lets its
  /// connection go: the robot has few.
  package var directIdle: Duration = .seconds(10)
  /// A player that waits so long without a byte is shown as stalled.
  package var stalled: Duration = .seconds(2)
  /// The first pause before a fetch is taken up again; it doubles each time, up to `retryMaximum`.
  package var retryBase: Duration = .milliseconds(250)
  package var retryMaximum: Duration = .seconds(10)
  /// The longest pause while a player waits.
  package var retryWaiting: Duration = .seconds(2)
  /// Waiting readers are told that the robot is away after so long without a byte.
  package var giveUp: Duration = .seconds(60)
  /// A player's request that outlasts a failure is taken up again so much later.
  package var failurePause: Duration = .seconds(5)
  /// After storing failed, it is tried again by readers that come so much later.
  package var storeAgain: Duration = .seconds(10)
  /// Time between two looks at a running playback, for its deadlines and its states.
  package var tick: Duration = .milliseconds(250)
  /// Room is asked for in steps of so many bytes.
  package var reservationBytes: UInt64 = 4 << 20
  /// Of one read, in bytes.
  package var readBytes = 256 << 10
  /// What is read of a recording before its length in seconds is known, at most, in bytes.
  package var headBytes: UInt64 = 64 << 20

  package init() {}
}
