internal import FootageHTTP

/// When a connection may send, and how much in a turn, on a server that has rates to keep. Belongs to its loop's thread.
///
/// It is told how much an answer has, asked before each turn, and counts what became of it, TLS included.
final class ConnectionPace {
  private let loop: LoopPacer
  private let stream: Stream
  private let viewer: Viewer
  /// Whether the answer that goes on now is a small one.
  private var isSmall = true
  /// What the turn under way was given, in bytes.
  private var granted = 0
  /// What of the stream's bytes was counted.
  private var countedByteCount: UInt64 = 0
  private var hasEnded = false

  init(_ loop: LoopPacer, _ stream: Stream, of viewer: Viewer) {
    self.loop = loop
    self.stream = stream
    self.viewer = viewer
    loop.pacer.join(viewer)
  }

  /// An answer of so many bytes goes before what is longer: a probe, a list, the page, a key frame.
  private static let smallAnswer: UInt64 = 128 * 1024
  /// About what a head has; it is counted exactly once it was sent.
  private static let head: UInt64 = 512

  var turnByteCount: Int { loop.pacer.turnByteCount }

  /// - Returns: whether an answer may be sent now, all of it; else nothing was asked for.
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

  /// Waits for the first turn of an answer whose body has so many bytes.
  func begin(answerOf byteCount: UInt64) async {
    isSmall = byteCount <= Self.smallAnswer
    await waitForTurn(before: byteCount &+ Self.head)
  }

  /// Waits for a turn of an answer that has so many bytes yet. Returns early where the stream was closed, which sending
  /// tells.
  func waitForTurn(before byteCount: UInt64) async {
    settle()
    let asked = Int(min(byteCount, UInt64(turnByteCount)))
    await loop.waitForTurn(of: asked, by: viewer, isSmall: isSmall, over: stream)
    granted = asked
  }

  /// Counts what was sent, in place of what was asked for.
  func settle() {
    let produced = stream.producedByteCount
    let sent = Int(clamping: produced &- countedByteCount)
    countedByteCount = produced
    if sent != granted { loop.pacer.settle(granted, sent: sent, by: viewer) }
    granted = 0
  }

  /// The connection is over.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    settle()
    loop.pacer.leave(viewer)
  }
}
