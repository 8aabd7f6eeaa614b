/// How many connections each loop has, for handing out the next one.

internal import Synchronization

final class LoadBoard: Sendable {
  private let counts: Mutex<[Int]>

  init(count: Int) { counts = Mutex(Array(repeating: 0, count: count)) }

  /// The loop with the fewest connections, which now has one more.
  func takeLeast() -> Int {
    counts.withLock { counts in
      var least = 0
      for index in counts.indices where counts[index] < counts[least] { least = index }
      counts[least] += 1
      return least
    }
  }

  func giveBack(_ index: Int) { counts.withLock { $0[index] -= 1 } }
}
