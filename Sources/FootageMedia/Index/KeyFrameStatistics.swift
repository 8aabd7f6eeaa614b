/// The key frames of a film's leading track: their number, their distances, and those that begin open groups.
struct KeyFrameStatistics: Sendable {
  private var count = 0
  private var openCount = 0
  /// The longest time from one key frame to the next, in ticks. It does not include the last key frame.
  private var longestInterval: Int64 = 0
  private var lastTime: Int64?

  /// - Parameters:
  ///   - time: the time at which the key frame is shown, in ticks from the beginning of the presentation.
  ///   - isClosed: true if the pictures after it need no picture before it.
  mutating func add(at time: Int64, isClosed: Bool) {
    count += 1
    if !isClosed { openCount += 1 }
    if let lastTime { longestInterval = max(longestInterval, time - lastTime) }
    lastTime = max(lastTime ?? .min, time)
  }

  /// Returns the longest time from a key frame to the next one or to the end, in ticks; nil if there is no key frame.
  func longestInterval(until end: Int64) -> Int64? { lastTime.map { max(longestInterval, end - $0) } }

  /// The note about open groups, or nil if there are none.
  var note: String? {
    guard openCount > 0 else { return nil }
    return "\(openCount) of \(count) key frames begin open groups: pictures after them need pictures before them, and "
      + "players may stutter where a film is cut there. Have the encoder close its groups (x264: open-gop=0)"
  }
}
