/// A rate in bits per second.
package struct BitRate: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let bitsPerSecond: UInt64

  /// The rates that a server can keep. Below them, one packet would exceed the tolerance of a twentieth over ten
  /// seconds.
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
/// They count the bytes handed to TCP: heads, bodies, and TLS with its handshakes. The packets' own headers, some four
/// percent, and bytes that are sent again after a loss do not count.
///
/// Each turn of an answer asks a token bucket. The kernel's `SO_MAX_PACING_RATE` is not used, because it only knows the
/// rate of a single socket. It knows neither a sum over the connections of a viewer or of the robot, nor which viewers
/// use their share, nor that a small answer goes first. Besides, bytes that it holds back have left the program, so
/// that a deleted or changed recording could no longer stop them. A server has turns between its connections anyhow.
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
    let parts = [total.map { "at most \($0) in all" }, perViewer.map { "at most \($0) to each viewer" }]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// The size of a turn in bytes: as much as the lower rate sends in a fiftieth of a second, so that the bytes arrive
  /// smoothly, but no less than fills a packet.
  var turnByteCount: Int {
    let least = [total, perViewer].compactMap { $0?.byteCount(in: Self.turnNanoseconds) }.min() ?? 0
    return max(least, Self.leastTurn)
  }

  private static let turnNanoseconds: UInt64 = 20_000_000
  private static let leastTurn = 1_200

  /// Returns the number of bytes that the kernel may hold unsent for a connection. Bytes that wait there escape all
  /// limits, and go out at once when a link comes back.
  ///
  /// - Parameter limit: the limit without pacing.
  func unsentByteCount(atMost limit: Int) -> Int { min(limit, max(Self.leastUnsent, 2 * turnByteCount)) }

  private static let leastUnsent = 16 * 1024
}
