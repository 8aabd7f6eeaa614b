internal import Synchronization
package import FootageSystem

/// A limit for the rate at which the connections of a client send together. It may change at any time, also for
/// existing connections.
///
/// The kernel enforces it (`SO_MAX_PACING_RATE`). Each connection has an equal share of it. The shares of closed
/// connections become free when the next connection is made.
package final class SendingRate: Sendable {
  private struct Shared {
    var bytesPerSecond: UInt64?
    var sockets: [WeakSocket] = []
  }

  private struct WeakSocket { weak var socket: Socket? }

  private let shared: Mutex<Shared>
  private let yieldsToOthers: Bool

  /// - Parameters:
  ///   - bytesPerSecond: nil for no limit.
  ///   - yieldsToOthers: true if routers are asked to send other traffic first (RFC 8622).
  package init(_ bytesPerSecond: UInt64? = nil, yieldsToOthers: Bool = false) {
    shared = Mutex(Shared(bytesPerSecond: bytesPerSecond))
    self.yieldsToOthers = yieldsToOthers
  }

  /// The limit in bytes per second; nil for none.
  package var bytesPerSecond: UInt64? {
    get { shared.withLock { $0.bytesPerSecond } }
    set {
      shared.withLock { shared in
        shared.bytesPerSecond = newValue
        Self.share(&shared)
      }
    }
  }

  /// The number of connections that share the limit.
  package var connectionCount: Int { shared.withLock { $0.sockets.count { $0.socket != nil } } }

  /// Adds a connection to those that share the limit.
  package func limit(_ socket: Socket) {
    if yieldsToOthers { socket.yieldToOthers() }
    shared.withLock { shared in
      shared.sockets.append(WeakSocket(socket: socket))
      Self.share(&shared)
    }
  }

  private static func share(_ shared: inout Shared) {
    shared.sockets.removeAll { $0.socket == nil }
    let open = shared.sockets.compactMap(\.socket)
    guard !open.isEmpty else { return }
    // The kernel would treat a rate of 0 as none.
    let share = shared.bytesPerSecond.map { max(1, $0 / UInt64(open.count)) }
    for socket in open { socket.setSendingRate(share) }
  }
}
