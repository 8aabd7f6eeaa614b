/// The order and the timing in which a host's addresses are tried (RFC 8305).

internal import FootageServing
internal import FootageSystem

/// A race of attempts to connect. It decides when the next attempt begins; its caller connects, and reports the
/// attempts that failed.
struct AddressRace {
  enum Step: Hashable {
    /// Begin another attempt beside the running ones.
    case begin(SocketAddress)
    /// Wait for the running attempts. The next one begins at this time, or never.
    case wait(until: Deadline)
    /// All attempts have failed.
    case lost
  }

  private let order: [SocketAddress]
  private let pause: Deadline.Delay
  private var begun = 0
  private var running = 0
  private var nextBegin = Deadline(milliseconds: 0)

  /// - Parameters:
  ///   - addresses: the addresses in the system's order, the best first.
  ///   - last: the address that answered last time, or nil. It need not be among the addresses.
  ///   - pause: the time after which the next attempt begins beside the running ones.
  init(_ addresses: [SocketAddress], first last: SocketAddress?, pause: Deadline.Delay) {
    order = Self.order(addresses, first: last)
    self.pause = pause
  }

  /// Returns the addresses in the order of RFC 8305 §4. The address families alternate, so that a family without a
  /// route costs one attempt. Within a family, the order stays the same.
  static func order(_ addresses: [SocketAddress], first last: SocketAddress?) -> [SocketAddress] {
    guard let best = addresses.first else { return [] }
    var ones = addresses.filter { $0.isIPv6 == best.isIPv6 }[...]
    var others = addresses.filter { $0.isIPv6 != best.isIPv6 }[...]
    var order: [SocketAddress] = []
    while order.count < addresses.count {
      if let one = ones.popFirst() { order.append(one) }
      if let other = others.popFirst() { order.append(other) }
    }
    if let last, let index = order.firstIndex(of: last) { order.insert(order.remove(at: index), at: 0) }
    return order
  }

  /// Returns the next step. After `.begin`, call it again.
  mutating func step(at now: Deadline) -> Step {
    if begun < order.count, running == 0 || now >= nextBegin {
      defer { begun += 1 }
      running += 1
      nextBegin = now.advanced(by: pause)
      return .begin(order[begun])
    }
    guard running > 0 else { return .lost }
    return .wait(until: begun < order.count ? nextBegin : .never)
  }

  /// Records that an attempt has failed. The next one need not wait (§5).
  mutating func failed() {
    running -= 1
    nextBegin = Deadline(milliseconds: 0)
  }

  /// Returns true if an attempt to connect to the address has begun.
  func hasBegun(_ address: SocketAddress?) -> Bool { address.map { order[..<begun].contains($0) } ?? false }
}
