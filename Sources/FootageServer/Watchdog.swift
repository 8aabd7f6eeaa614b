internal import FootageSystem

/// When the service manager is told that the server lives: as long as every loop answers. The threads that wait for a
/// disk are not asked: a disk that hangs is not mended by a new process.
///
/// Pure: the time is handed in.
struct Watchdog {
  /// Between two words.
  private let interval: Duration
  private var hasAnswered: [Bool]
  private var next: Deadline

  /// - Parameter patience: how long the manager waits at most.
  init(patience: Duration, loops: Int, at now: Deadline) {
    interval = min(.seconds(10), patience / 3)
    hasAnswered = Array(repeating: false, count: loops)
    next = now
  }

  /// A loop has done what it was asked.
  mutating func loopAnswered(_ index: Int) { hasAnswered[index] = true }

  /// - Returns: whether to say now that the server lives: it is time, and each loop has answered since the last word.
  mutating func isDue(at now: Deadline) -> Bool {
    guard now >= next, hasAnswered.allSatisfy(\.self) else { return false }
    for index in hasAnswered.indices { hasAnswered[index] = false }
    next = now.advanced(by: Deadline.Delay(interval))
    return true
  }
}
