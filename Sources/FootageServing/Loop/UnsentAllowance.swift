internal import FootageSystem

/// How many bytes the kernel may hold unsent for one peer: few at first, as many as the socket was made for once it
/// takes what it is sent, and more for a fast one.
///
/// A loop counts the streams that have more than the least, and lets only a few have it: `giveBack` ends each one's
/// share.
struct UnsentAllowance {
  private enum Share {
    /// A peer of a server that has shown nothing yet.
    case least
    /// The socket's own limit, counted by the loop.
    case granted
    /// The socket's own limit, from the beginning: a client's end.
    case uncounted
  }

  private var share: Share
  /// Whether the kernel may hold as much as for a fast peer.
  private var isFast = false

  /// - Parameter isServer: whether the peer is a client, of which there may be many.
  init(isServer: Bool) { share = isServer ? .least : .uncounted }

  /// The socket is full. The first ones whose sockets are may have more there, which wakes this loop less often.
  mutating func grant(_ socket: Socket, on loop: EventLoop) {
    guard share == .least, loop.grantedStreamCount < BufferSize.grantedStreams else { return }
    share = .granted
    loop.grantedStreamCount += 1
    socket.setUnsentLimit(socket.unsentLimit)
  }

  /// A fast peer wakes this loop less often, and finds more at a time, with more in the kernel; a slow one would only
  /// keep it there. Only a few at once are given more, so that many that are fast and then stop cost no more than
  /// before.
  mutating func setFast(_ wantsMore: Bool, _ socket: Socket, on loop: EventLoop) {
    guard wantsMore != isFast, !wantsMore || loop.fastStreamCount < BufferSize.fastStreams else { return }
    isFast = wantsMore
    loop.fastStreamCount += wantsMore ? 1 : -1
    socket.setUnsentLimit(wantsMore ? max(BufferSize.unsentForFast, socket.unsentLimit) : usualLimit(of: socket))
  }

  /// The stream is over.
  mutating func giveBack(to loop: EventLoop) {
    if isFast { loop.fastStreamCount -= 1 }
    if share == .granted { loop.grantedStreamCount -= 1 }
    isFast = false
    share = .uncounted
  }

  /// What the kernel may hold for this peer when it is not a fast one.
  private func usualLimit(of socket: Socket) -> Int {
    share == .least ? min(socket.unsentLimit, BufferSize.unsentAtFirst) : socket.unsentLimit
  }
}
