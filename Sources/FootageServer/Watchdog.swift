internal import FootageSystem

/// The rule for the keep-alive messages to the service manager: they are sent as long as every loop answers. The
/// threads that wait for a disk are not included, because restarting the process would not help with a disk that does
/// not respond.
///
/// It has no clock: the caller passes the time.
struct Watchdog {
  /// The time between two messages.
  private let interval: Duration
  private var hasAnswered: [Bool]
  private var next: Deadline

  /// - Parameter patience: the longest time that the service manager waits for a message.
  init(patience: Duration, loops: Int, at now: Deadline) {
    interval = min(.seconds(10), patience / 3)
    hasAnswered = Array(repeating: false, count: loops)
    next = now
  }

  /// Records that a loop has answered.
  mutating func loopAnswered(_ index: Int) { hasAnswered[index] = true }

  /// - Returns: true if a message should be sent now: it is time, and each loop has answered since the last message.
  mutating func isDue(at now: Deadline) -> Bool {
    guard now >= next, hasAnswered.allSatisfy(\.self) else { return false }
    for index in hasAnswered.indices { hasAnswered[index] = false }
    next = now.advanced(by: Deadline.Delay(interval))
    return true
  }
}
