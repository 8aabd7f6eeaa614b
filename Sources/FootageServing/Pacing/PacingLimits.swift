/// A rate in bits per second.
package struct BitRate: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let bitsPerSecond: UInt64

  /// The rates that a server can maintain. With a lower rate, a single packet would exceed the rate by more than the
  /// tolerance, which is a twentieth over ten seconds.
  package static let allowed: ClosedRange<UInt64> = 100_000...100_000_000_000

  /// - Returns: nil if the rate is not `allowed`.
  package init?(bitsPerSecond: UInt64) {
    guard Self.allowed.contains(bitsPerSecond) else { return nil }
    self.bitsPerSecond = bitsPerSecond
  }

  /// Returns the number of bytes that are sent in a time.
  func byteCount(in nanoseconds: UInt64) -> Int { Int(bitsPerSecond / 8 * (nanoseconds / 1_000) / 1_000_000) }

  package static func < (one: BitRate, other: BitRate) -> Bool { one.bitsPerSecond < other.bitsPerSecond }

  package var description: String {
    for (unit, name) in [(UInt64(1_000_000_000), "Gbit/s"), (1_000_000, "Mbit/s"), (1_000, "kbit/s")]
    where bitsPerSecond % unit == 0 {
      return "\(bitsPerSecond / unit) \(name)"
    }
    return "\(bitsPerSecond) bit/s"
  }
}

/// The limits for the rate at which a server sends.
///
/// They apply to the bytes passed to TCP: heads, bodies, and TLS with its handshakes. The headers of packets, about
/// four percent, and retransmitted bytes do not count.
///
/// A token bucket is checked before each turn of an answer. The kernel's `SO_MAX_PACING_RATE` is not used, because it
/// limits only a single socket. It cannot limit the sum over the connections of a viewer or of the robot, distribute
/// unused shares, or send small answers first. Besides, the program can no longer stop bytes that the kernel holds
/// back, for example if their recording was deleted or changed. Turns exist in any case, because a server alternates
/// between its connections.
package struct PacingLimits: Hashable, Sendable, CustomStringConvertible {
  /// The limit for all connections together; nil for none.
  package let total: BitRate?
  /// The limit for all connections of a viewer; nil for none.
  package let perViewer: BitRate?

  /// - Returns: nil if nothing is limited.
  package init?(total: BitRate?, perViewer: BitRate?) {
    guard total != nil || perViewer != nil else { return nil }
    self.total = total
    self.perViewer = perViewer
  }

  package var description: String {
    let parts = [total.map { "at most \($0) in total" }, perViewer.map { "at most \($0) per viewer" }]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// The size of a turn in bytes: as much as the lower rate sends in a fiftieth of a second, so that the bytes arrive
  /// smoothly, but at least enough to fill a packet.
  var turnByteCount: Int {
    let least = [total, perViewer].compactMap { $0?.byteCount(in: Self.turnNanoseconds) }.min() ?? 0
    return max(least, Self.leastTurn)
  }

  private static let turnNanoseconds: UInt64 = 20_000_000
  private static let leastTurn = 1_200

  /// Returns the number of bytes that the kernel may hold unsent for a connection. These bytes are beyond the control
  /// of the limits: when a link recovers, they are sent at once.
  ///
  /// - Parameter limit: the limit without pacing.
  func unsentByteCount(atMost limit: Int) -> Int { min(limit, max(Self.leastUnsent, 2 * turnByteCount)) }

  private static let leastUnsent = 16 * 1024
}
