internal import FootageHTTP

/// The pace of a connection on a server with rate limits: when it may send, and how much in a turn. Belongs to its
/// loop's thread.
///
/// It is told the size of each answer, asked for each turn, and counts the bytes that were sent, including TLS.
final class ConnectionPace {
  private let loop: LoopPacer
  private let stream: Stream
  private let viewer: Viewer
  /// True while the current answer is a small one.
  private var isSmall = true
  /// The number of bytes granted for the current turn.
  private var granted = 0
  /// The number of the stream's bytes that have been counted so far.
  private var countedByteCount: UInt64 = 0
  private var hasEnded = false

  init(_ loop: LoopPacer, _ stream: Stream, of viewer: Viewer) {
    self.loop = loop
    self.stream = stream
    self.viewer = viewer
    loop.pacer.join(viewer)
  }

  /// The largest size in bytes of an answer that is sent before longer ones: a small range, a list, the page or a key
  /// frame.
  private static let smallAnswer: UInt64 = 128 * 1024
  /// The approximate size of a head in bytes. After it has been sent, its exact size is counted.
  private static let head: UInt64 = 512

  var turnByteCount: Int { loop.pacer.turnByteCount }

  /// - Returns: true if all of an answer may be sent now. Otherwise nothing was reserved.
  func mayAnswerAtOnce(with byteCount: UInt64) -> Bool {
    settle()
    guard byteCount + Self.head <= UInt64(turnByteCount) else { return false }
    guard let ticket = loop.pacer.ask(for: Int(byteCount + Self.head), by: viewer, isSmall: true) else {
      granted = Int(byteCount + Self.head)
      return true
    }
    loop.pacer.cancel(ticket)
    return false
  }

  /// Waits for the first turn of an answer whose body has this many bytes.
  func begin(answerOf byteCount: UInt64) async {
    isSmall = byteCount <= Self.smallAnswer
    await waitForTurn(before: byteCount &+ Self.head)
  }

  /// Waits for a turn of an answer that has this many bytes left. Returns early if the stream was closed, which sending
  /// reports.
  func waitForTurn(before byteCount: UInt64) async {
    settle()
    let asked = Int(min(byteCount, UInt64(turnByteCount)))
    await loop.waitForTurn(of: asked, by: viewer, isSmall: isSmall, over: stream)
    granted = asked
  }

  /// Replaces the number of granted bytes by the number of bytes that were actually sent.
  func settle() {
    let produced = stream.producedByteCount
    let sent = Int(clamping: produced &- countedByteCount)
    countedByteCount = produced
    if sent != granted { loop.pacer.settle(granted, sent: sent, by: viewer) }
    granted = 0
  }

  /// Ends the pace of a connection that has ended.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    settle()
    loop.pacer.leave(viewer)
  }
}
