/// A rate.
package struct BitRate: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let bitsPerSecond: UInt64

  /// What a server can keep to: below, one packet would be more than a twentieth of ten seconds' bytes can bear.
  package static let allowed: ClosedRange<UInt64> = 100_000...100_000_000_000

  /// - Returns: nil for what is not `allowed`.
  package init?(bitsPerSecond: UInt64) {
    guard Self.allowed.contains(bitsPerSecond) else { return nil }
    self.bitsPerSecond = bitsPerSecond
  }

  /// So many bytes are sent in a time.
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

/// How fast a server sends.
///
/// Counted is what is handed to TCP: heads, bodies, and TLS with its handshakes. Packets' own heads, some four per cent,
/// and what is sent again after a loss are not.
///
/// A token bucket is asked for each turn of an answer, in place of the kernel's `SO_MAX_PACING_RATE`. That one knows a
/// rate of a single socket: neither a sum over the connections of a viewer or of the robot, nor who of them uses its
/// share, nor a small answer that is to go first; and what it holds back has left the program, so that a deleted or
/// changed recording could not stop it any more. A server has turns between its connections anyhow.
package struct PacingLimits: Hashable, Sendable, CustomStringConvertible {
  /// Over all connections; nil for no limit.
  package let total: BitRate?
  /// Over all connections of a viewer; nil for no limit.
  package let perViewer: BitRate?

  /// - Returns: nil where nothing is limited.
  package init?(total: BitRate?, perViewer: BitRate?) {
    guard total != nil || perViewer != nil else { return nil }
    self.total = total
    self.perViewer = perViewer
  }

  package var description: String {
    let parts = [total.map { "at most \($0) in all" }, perViewer.map { "at most \($0) to each viewer" }]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// How much goes in one turn, in bytes: what the lesser rate sends in a fiftieth of a second, so that what arrives is
  /// smooth, but no less than fills a packet.
  var turnByteCount: Int {
    let least = [total, perViewer].compactMap { $0?.byteCount(in: Self.turnNanoseconds) }.min() ?? 0
    return max(least, Self.leastTurn)
  }

  private static let turnNanoseconds: UInt64 = 20_000_000
  private static let leastTurn = 1_200

  /// How many bytes the kernel may hold unsent for a connection: what waits there is past all limits, and goes at once
  /// where a link comes back.
  ///
  /// - Parameter limit: without pacing.
  func unsentByteCount(atMost limit: Int) -> Int { min(limit, max(Self.leastUnsent, 2 * turnByteCount)) }

  private static let leastUnsent = 16 * 1024
}
