internal import FootageBase

/// What the way to a robot is like, as far as its answers have shown: how long it takes there and back, and how much it
/// carries.
struct LinkEstimate: Sendable {
  /// Of the last answers.
  private var roundTrips: [Duration] = []
  /// What came in each of the last round trips, in bytes a second.
  private var rates: [Double] = []
  private var byteCount: UInt64 = 0
  private var seconds = 0.0
  private var lastArrival: Duration?

  private static let roundTripCount = 64
  private static let rateCount = 12
  /// A shorter time says nothing of a rate.
  private static let leastSeconds = 0.05
  /// Of the first rate: what a connection's first packets bring is not what the link can.
  private static let leastBytes: UInt64 = 65_536
  /// A connection that begins carries twice as much with each round trip (RFC 5681 §3.1), until the link is full: then
  /// it has not grown by a quarter in three.
  private static let growth = 1.25
  private static let fullAfter = 3

  /// From a request to the head of its answer. The shortest of the last ones counts: those of others had to connect, or
  /// to wait for a disk.
  var roundTrip: Duration? { roundTrips.min() }

  /// The highest of the last ones: that less comes for a while says nothing of what the link carries. Nil before that
  /// is known.
  var bytesPerSecond: Double? { rates.max() }

  /// Whether it may soon carry twice as much.
  var isGrowing: Bool {
    guard let before = rates.dropLast(Self.fullAfter).max(), let now = rates.suffix(Self.fullAfter).max() else {
      return true
    }
    return now >= before * Self.growth
  }

  mutating func answered(after time: Duration) {
    roundTrips.append(time)
    if roundTrips.count > Self.roundTripCount { roundTrips.removeFirst() }
  }

  /// - Parameter wasComing: whether anything was on its way since the last arrival; else the time since then says
  ///   nothing about the link.
  mutating func received(_ count: UInt64, wasComing: Bool, at now: Duration) {
    defer { lastArrival = now }
    guard wasComing, let lastArrival else { return }
    byteCount += count
    seconds += (now - lastArrival).inSeconds
    guard seconds >= max(Self.leastSeconds, roundTrip?.inSeconds ?? 0), !rates.isEmpty || byteCount >= Self.leastBytes
    else { return }
    rates.append(Double(byteCount) / seconds)
    if rates.count > Self.rateCount { rates.removeFirst() }
    seconds = 0
    byteCount = 0
  }

  /// How many bytes come in so many round trips, but in no less than a time; nil before that is known.
  func bytes(inRoundTrips count: Double, atLeast time: Duration = .zero) -> UInt64? {
    guard let bytesPerSecond, let roundTrip else { return nil }
    return UInt64(min(bytesPerSecond * max(roundTrip.inSeconds * count, time.inSeconds), 1e15))
  }

  /// What one request asks for, in bytes.
  func pieceBytes(_ limits: MediaCacheLimits) -> UInt64 {
    guard let bytes = bytes(inRoundTrips: 1, atLeast: limits.pieceTime) else {
      return min(limits.firstPieceBytes, limits.requestBytes)
    }
    let growing = isGrowing ? 2 * bytes : bytes
    return min(max(growing, limits.leastPieceBytes), limits.requestBytes)
  }

  /// With less than this to come, the next piece is asked for; in bytes.
  func lookAheadBytes(_ limits: MediaCacheLimits) -> UInt64 {
    max(limits.lookAheadBytes, (bytes(inRoundTrips: limits.lookAhead) ?? 0) * (isGrowing ? 2 : 1))
  }
}
