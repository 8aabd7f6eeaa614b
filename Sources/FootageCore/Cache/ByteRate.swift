internal import FootageBase

/// The rate at which bytes arrived over the last few seconds, in bytes per second.
package struct ByteRate: Sendable {
  private static let slotLength = Duration.milliseconds(250)
  private static let window = Duration.seconds(3)

  private var slots: [(start: Duration, bytes: UInt64)] = []
  private var beginning: Duration?

  package init() {}

  package mutating func add(_ bytes: UInt64, at now: Duration) {
    if beginning == nil { beginning = now }
    slots.removeAll { now - $0.start >= Self.window }
    if let last = slots.last, now - last.start < Self.slotLength {
      slots[slots.count - 1].bytes += bytes
    } else {
      slots.append((now, bytes))
    }
  }

  /// Returns the rate, which is never negative. It is 0 if no bytes arrived within `window`.
  package func value(at now: Duration) -> Double {
    let recent = slots.filter { now - $0.start < Self.window }
    guard let beginning, !recent.isEmpty else { return 0 }
    let bytes = recent.reduce(UInt64(0)) { $0 + $1.bytes }
    let span = max(Self.slotLength, min(Self.window, now - beginning))
    return Double(bytes) / span.inSeconds
  }
}
