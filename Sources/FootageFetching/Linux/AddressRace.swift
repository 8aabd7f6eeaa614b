/// Which of a host's addresses is tried when (RFC 8305).

internal import FootageServing
internal import FootageSystem

/// Decides, and connects nothing: whoever asks it tells it what has failed.
struct AddressRace {
  enum Step: Hashable {
    /// Another attempt, beside those that go on.
    case begin(SocketAddress)
    /// An attempt goes on; the next one begins then, or never.
    case wait(until: Deadline)
    /// All have failed.
    case lost
  }

  private let order: [SocketAddress]
  private let pause: Deadline.Delay
  private var begun = 0
  private var running = 0
  private var nextBegin = Deadline(milliseconds: 0)

  /// - Parameters:
  ///   - addresses: the best first, as the system has them.
  ///   - last: the one that answered last time; nil where there is none. It need not be among the addresses any more.
  ///   - pause: how long an attempt has for itself.
  init(_ addresses: [SocketAddress], first last: SocketAddress?, pause: Deadline.Delay) {
    order = Self.order(addresses, first: last)
    self.pause = pause
  }

  /// §4: the families take turns, so that one that leads nowhere costs one attempt; within a family the order stays.
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

  /// What to do now. After `.begin` it is asked again.
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

  /// One of the attempts has failed: the next one need not wait (§5).
  mutating func failed() {
    running -= 1
    nextBegin = Deadline(milliseconds: 0)
  }

  /// Whether an address was tried.
  func hasBegun(_ address: SocketAddress?) -> Bool { address.map { order[..<begun].contains($0) } ?? false }
}
