internal import FootageSystem

/// The number of bytes that the kernel may hold unsent for one peer. It is small at first, the socket's own limit once
/// the peer accepts what it is sent, and larger for a fast peer.
///
/// A loop counts the streams that have more than the least, and allows that to only a few. `giveBack` ends a stream's
/// share.
struct UnsentAllowance {
  private enum Share {
    /// The share of a server's peer that has shown nothing yet.
    case least
    /// The socket's own limit, counted by the loop.
    case granted
    /// The socket's own limit from the beginning, for a client's end.
    case uncounted
  }

  private var share: Share
  /// True if the kernel may hold as much as for a fast peer.
  private var isFast = false

  /// - Parameter isServer: true if the peer is a client, of which there may be many.
  init(isServer: Bool) { share = isServer ? .least : .uncounted }

  /// Allows more for a peer whose socket is full, if it is one of the first. That wakes this loop less often.
  mutating func grant(_ socket: Socket, on loop: EventLoop) {
    guard share == .least, loop.grantedStreamCount < BufferSize.grantedStreams else { return }
    share = .granted
    loop.grantedStreamCount += 1
    socket.setUnsentLimit(socket.unsentLimit)
  }

  /// Sets the limit for a peer that is fast, or is no longer fast. With more in the kernel, a fast peer wakes this loop
  /// less often and finds more at a time; for a slow one it would only stay there. Only a few peers at once get more,
  /// so that it costs little if many fast ones stop.
  mutating func setFast(_ wantsMore: Bool, _ socket: Socket, on loop: EventLoop) {
    guard wantsMore != isFast, !wantsMore || loop.fastStreamCount < BufferSize.fastStreams else { return }
    isFast = wantsMore
    loop.fastStreamCount += wantsMore ? 1 : -1
    socket.setUnsentLimit(wantsMore ? max(BufferSize.unsentForFast, socket.unsentLimit) : usualLimit(of: socket))
  }

  /// Gives back the share when the stream is over.
  mutating func giveBack(to loop: EventLoop) {
    if isFast { loop.fastStreamCount -= 1 }
    if share == .granted { loop.grantedStreamCount -= 1 }
    isFast = false
    share = .uncounted
  }

  /// Returns the number of bytes that the kernel may hold for this peer when it is not a fast one.
  private func usualLimit(of socket: Socket) -> Int {
    share == .least ? min(socket.unsentLimit, BufferSize.unsentAtFirst) : socket.unsentLimit
  }
}
