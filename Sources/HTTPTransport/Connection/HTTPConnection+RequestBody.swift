/// Bodies of requests: nothing here takes one.

internal import HTTPSemantics
internal import Networking
internal import System

extension HTTPConnection {
  enum DroppedBody {
    case dropped
    /// Too large to wait for, or the client waits for a word.
    case left
    case refused(MessageRefusal)
  }

  /// Reads and drops a small body, so that the next request can be found behind it.
  func dropBody(of request: RequestHead) async throws(StreamError) -> DroppedBody {
    guard !request.expectsContinue else { return .left }
    let deadline = stream.loop.clock.deadline(after: limits.request)
    noteReadingBody(true)
    defer { noteReadingBody(false) }
    switch request.body {
    case .none: return .dropped
    case .length(let length):
      guard length <= limits.droppedBodyBytes else { return .left }
      var rest = Int(length)
      while true {
        let bytes = inbox
        let count = min(rest, bytes.count)
        inbox = Array(bytes[count...])
        rest -= count
        guard rest > 0 else { break }
        try await receiveMore(until: deadline)
      }
    case .chunked:
      var decoder = ChunkedBodyDecoder()
      var dropped: UInt64 = 0
      while true {
        do throws(MessageRefusal) { dropped += try skipChunks(&decoder) } catch { return .refused(error) }
        if decoder.isComplete { break }
        guard dropped <= limits.droppedBodyBytes else { return .left }
        try await receiveMore(until: deadline)
      }
    }
    if inbox.isEmpty { inbox = [] }
    return .dropped
  }

  /// Takes what the inbox holds of a chunked body out of it.
  ///
  /// - Returns: how many bytes of the body's own that were.
  private func skipChunks(_ decoder: inout ChunkedBodyDecoder) throws(MessageRefusal) -> UInt64 {
    let bytes = inbox
    var position = 0
    var dropped: UInt64 = 0
    while true {
      switch try decoder.next(bytes.span, from: position) {
      case .data(let range):
        dropped += UInt64(range.count)
        position = range.upperBound
      case .needsMore:
        inbox = []
        return dropped
      case .end(let end):
        inbox = Array(bytes[end...])
        return dropped
      }
    }
  }

  private func receiveMore(until deadline: Deadline) async throws(StreamError) {
    let isOpen = unsafe try await stream.receive(until: deadline) { unsafe inbox = inbox + Array($0) }
    guard isOpen else { throw .disconnected(nil) }
  }
}
