internal import Synchronization
package import FootageSystem

/// How much the connections of a client send in a second at most, together. It may change at any time, for connections
/// that are there, too.
///
/// The kernel keeps to it (`SO_MAX_PACING_RATE`): each connection has its share of it, and those that are closed give
/// theirs back when the next one is made.
package final class SendingRate: Sendable {
  private struct Shared {
    var bytesPerSecond: UInt64?
    var sockets: [WeakSocket] = []
  }

  private struct WeakSocket { weak var socket: Socket? }

  private let shared: Mutex<Shared>
  private let yieldsToOthers: Bool

  /// - Parameters:
  ///   - bytesPerSecond: nil for as much as it goes.
  ///   - yieldsToOthers: whether routers are asked to send others first (RFC 8622).
  package init(_ bytesPerSecond: UInt64? = nil, yieldsToOthers: Bool = false) {
    shared = Mutex(Shared(bytesPerSecond: bytesPerSecond))
    self.yieldsToOthers = yieldsToOthers
  }

  /// In bytes; nil for as much as it goes.
  package var bytesPerSecond: UInt64? {
    get { shared.withLock { $0.bytesPerSecond } }
    set {
      shared.withLock { shared in
        shared.bytesPerSecond = newValue
        Self.share(&shared)
      }
    }
  }

  /// How many connections share it.
  package var connectionCount: Int { shared.withLock { $0.sockets.count { $0.socket != nil } } }

  /// Counts a connection in.
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
    // Of a rate of 0 the kernel would make none.
    let share = shared.bytesPerSecond.map { max(1, $0 / UInt64(open.count)) }
    for socket in open { socket.setSendingRate(share) }
  }
}
