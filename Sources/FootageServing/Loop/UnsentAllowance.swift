internal import FootageSystem

/// The number of bytes that the kernel may hold unsent for one peer. It is small at first. Once the peer accepts bytes,
/// it is the socket's own limit, and for a fast peer it is larger.
///
/// A loop allows more than the smallest number only to a limited number of streams, and so counts them. Call `giveBack`
/// when a stream ends.
struct UnsentAllowance {
  private enum Share {
    /// The smallest number, for a server's peer that has not accepted many bytes yet.
    case least
    /// The socket's own limit, counted by the loop.
    case granted
    /// The socket's own limit from the beginning, for the streams of a client.
    case uncounted
  }

  private var share: Share
  /// True while this peer has the limit of fast peers.
  private var isFast = false

  /// - Parameter isServer: true on a server, which may have many peers.
  init(isServer: Bool) { share = isServer ? .least : .uncounted }

  /// Raises the limit for a peer whose socket is full, unless too many others have a raised limit. The loop then wakes
  /// less often for this peer.
  mutating func grant(_ socket: Socket, on loop: EventLoop) {
    guard share == .least, loop.grantedStreamCount < BufferSize.grantedStreams else { return }
    share = .granted
    loop.grantedStreamCount += 1
    socket.setUnsentLimit(socket.unsentLimit)
  }

  /// Sets the limit for a peer that is fast, or is no longer fast. With more bytes in the kernel, the loop wakes less
  /// often for a fast peer; for a slow peer, the bytes would only occupy memory. Only a few peers get more at the same
  /// time, so that little memory is occupied if many fast ones stop reading.
  mutating func setFast(_ wantsMore: Bool, _ socket: Socket, on loop: EventLoop) {
    guard wantsMore != isFast, !wantsMore || loop.fastStreamCount < BufferSize.fastStreams else { return }
    isFast = wantsMore
    loop.fastStreamCount += wantsMore ? 1 : -1
    socket.setUnsentLimit(wantsMore ? max(BufferSize.unsentForFast, socket.unsentLimit) : usualLimit(of: socket))
  }

  /// Returns the stream's share to the loop, when the stream ends.
  mutating func giveBack(to loop: EventLoop) {
    if isFast { loop.fastStreamCount -= 1 }
    if share == .granted { loop.grantedStreamCount -= 1 }
    isFast = false
    share = .uncounted
  }

  /// Returns the number of bytes that the kernel may hold for this peer when it is not fast.
  private func usualLimit(of socket: Socket) -> Int {
    share == .least ? min(socket.unsentLimit, BufferSize.unsentAtFirst) : socket.unsentLimit
  }
}
