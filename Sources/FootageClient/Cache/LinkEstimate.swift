/// What the way to a robot is like, as far as its answers have shown: how long it takes there and back, and how much it
/// carries.

internal import Formats

struct LinkEstimate: Sendable {
  /// Of the last answers.
  private var roundTrips: [Duration] = []
  private var byteCount = 0.0
  private var seconds = 0.0
  private var lastArrival: Duration?

  private static let roundTripCount = 8
  /// What came longer ago than this counts for less.
  private static let memory = 1.0
  /// Less says nothing.
  private static let leastSeconds = 0.02
  private static let leastBytes = 65_536.0

  /// From a request to the head of its answer. The shortest of the last ones counts: those of others had to connect, or to
  /// wait for a disk.
  var roundTrip: Duration? { roundTrips.min() }

  /// While something was coming; nil before that is known.
  var bytesPerSecond: Double? {
    seconds >= Self.leastSeconds && byteCount >= Self.leastBytes ? byteCount / seconds : nil
  }

  mutating func answered(after time: Duration) {
    roundTrips.append(time)
    if roundTrips.count > Self.roundTripCount { roundTrips.removeFirst() }
  }

  /// - Parameter wasComing: whether anything was on its way since the last arrival; else the time since then says nothing
  ///   about the link.
  mutating func received(_ count: UInt64, wasComing: Bool, at now: Duration) {
    defer { lastArrival = now }
    guard wasComing, let lastArrival else { return }
    byteCount += Double(count)
    seconds += (now - lastArrival).inSeconds
    if seconds > Self.memory {
      seconds /= 2
      byteCount /= 2
    }
  }

  /// How many bytes come in so many round trips, but in no less than a time; nil before that is known.
  func bytes(inRoundTrips count: Double, atLeast time: Duration = .zero) -> UInt64? {
    guard let bytesPerSecond, let roundTrip else { return nil }
    return UInt64(min(bytesPerSecond * max(roundTrip.inSeconds * count, time.inSeconds), 1e15))
  }
}
