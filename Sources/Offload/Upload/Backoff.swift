/// How long is waited after a failure: from a second on, twice as long each time, half a minute at most.
struct Backoff: Hashable {
  private(set) var failures = 0

  private static let longest = Duration.seconds(30)

  mutating func succeeded() { failures = 0 }

  mutating func failed() -> Duration {
    failures += 1
    return failures > 5 ? Self.longest : min(Self.longest, .seconds(1 << (failures - 1)))
  }
}
