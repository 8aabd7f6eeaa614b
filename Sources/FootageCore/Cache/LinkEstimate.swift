internal import FootageBase

/// An estimate of the link to a robot, from the responses so far: the time of a round trip, and the rate that the link
/// carries.
struct LinkEstimate: Sendable {
  /// The times of the last round trips.
  private var roundTrips: [Duration] = []
  /// The rates of the last round trips, in bytes per second.
  private var rates: [Double] = []
  private var byteCount: UInt64 = 0
  private var seconds = 0.0
  private var lastArrival: Duration?

  private static let roundTripCount = 64
  private static let rateCount = 12
  /// The shortest time over which a rate is measured, in seconds. A shorter time does not yield a reliable rate.
  private static let leastSeconds = 0.05
  /// The number of bytes that the first rate needs. The first packets of a connection do not show what the link can
  /// carry.
  private static let leastBytes: UInt64 = 65_536
  /// The factor by which the rate grows within `fullAfter` round trips until a link is full. A new connection carries
  /// twice as much with each round trip (RFC 5681 §3.1). The rate of a full link grows by less than a quarter in three
  /// round trips.
  private static let growth = 1.25
  private static let fullAfter = 3

  /// The time from a request to the head of its answer. The shortest of the last times counts, because the longer ones
  /// include connecting, or waiting for a disk.
  var roundTrip: Duration? { roundTrips.min() }

  /// The highest of the last rates; nil until one is known. A lower rate for a while does not mean that the link
  /// carries less.
  var bytesPerSecond: Double? { rates.max() }

  /// True if the link may soon carry twice as much.
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

  /// - Parameter wasComing: true if bytes were outstanding since the last arrival. Otherwise the time since then does
  ///   not measure the link.
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

  /// Returns the number of bytes that arrive in `count` round trips or in `time`, whichever is longer; nil until the
  /// link has been measured.
  func bytes(inRoundTrips count: Double, atLeast time: Duration = .zero) -> UInt64? {
    guard let bytesPerSecond, let roundTrip else { return nil }
    return UInt64(min(bytesPerSecond * max(roundTrip.inSeconds * count, time.inSeconds), 1e15))
  }

  /// Returns the number of bytes to ask for in one request.
  func pieceBytes(_ limits: MediaCacheLimits) -> UInt64 {
    guard let bytes = bytes(inRoundTrips: 1, atLeast: limits.pieceTime) else {
      return min(limits.firstPieceBytes, limits.requestBytes)
    }
    let growing = isGrowing ? 2 * bytes : bytes
    return min(max(growing, limits.leastPieceBytes), limits.requestBytes)
  }

  /// Returns the number of outstanding bytes below which the next piece is requested.
  func lookAheadBytes(_ limits: MediaCacheLimits) -> UInt64 {
    max(limits.lookAheadBytes, (bytes(inRoundTrips: limits.lookAhead) ?? 0) * (isGrowing ? 2 : 1))
  }
}
