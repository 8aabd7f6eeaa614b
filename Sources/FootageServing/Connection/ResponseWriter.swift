/// A writer that gathers a response in the loop's scratch buffer and sends it in turns that are fair to other
/// connections.

internal import FootageHTTP

/// The reason why a response was not sent completely.
enum SendError: Error {
  case stream(StreamError)
  case body(ResponseBodyError)
}

/// A writer for one response. The scratch buffer belongs to the loop: its content is sent or discarded before any wait.
struct ResponseWriter {
  private let stream: Stream
  private let idle: Duration
  /// The pace of the connection; nil if nothing limits the rate.
  private let pace: ConnectionPace?
  /// The number of bytes in the scratch buffer.
  private var filled = 0
  /// True if the scratch buffer contains bytes of a body.
  private var hasBody = false
  /// The body whose bytes in the scratch buffer must be revalidated before they are sent; nil if there are none.
  private var needsRevalidation: (any ResponseBody)?
  /// The number of bytes of head and body that were passed to the stream.
  private var sentByteCount: UInt64 = 0

  init(_ stream: Stream, idle: Duration, pace: ConnectionPace?) {
    self.stream = stream
    self.idle = idle
    self.pace = pace
  }

  /// True if a byte of this response has been sent, so that it cannot be replaced by another one.
  var hasSent: Bool { sentByteCount > 0 }

  /// Returns the number of body bytes that were sent, after a head of this length.
  func sentBodyByteCount(behind headByteCount: Int) -> UInt64 {
    sentByteCount > UInt64(headByteCount) ? sentByteCount - UInt64(headByteCount) : 0
  }

  /// Adds bytes: a head, a refusal, or the text between the parts of a multipart body.
  mutating func append(_ bytes: ArraySlice<UInt8>) async throws(SendError) {
    var rest = bytes
    while true {
      rest = rest.dropFirst(fillTurn(rest))
      guard !rest.isEmpty else { return }
      try await endTurn(before: UInt64(rest.count))
    }
  }

  /// - Returns: the number of bytes that fit into this turn.
  private mutating func fillTurn(_ bytes: ArraySlice<UInt8>) -> Int {
    // A head always fits, whatever is in the buffer already: it is never longer than the room beside a turn.
    let room = max(turnByteCount - filled, Self.leastRoom)
    return fill(bytes.prefix(room))
  }

  private static let leastRoom = 4096

  /// Adds a range of a body, turn after turn.
  mutating func append(
    _ range: Range<UInt64>, of body: any ResponseBody, within budget: DocumentBudget
  ) async throws(SendError) {
    var offset = range.lowerBound
    while true {
      offset += try fill(offset..<range.upperBound, of: body)
      guard offset < range.upperBound else { return }
      if isFull {
        let isSent = try sendTurn()
        let heldByteCount = body.remadeByteCount
        let isHeld = budget.take(heldByteCount)
        defer { if isHeld { budget.giveBack(heldByteCount) } }
        if !isHeld { body.releaseMemory() }
        if isSent { await stream.loop.yield() } else { try await flush() }
        if let pace { await pace.waitForTurn(before: range.upperBound - offset) }
      } else {
        offset += try await wait(for: offset..<range.upperBound, of: body)
      }
    }
  }

  /// Adds as many of the bytes as there is room for.
  ///
  /// - Returns: the number of bytes added.
  mutating func fill(_ bytes: ArraySlice<UInt8>) -> Int {
    let count = min(bytes.count, BufferSize.scratch - filled)
    // Safe because neither buffer is overrun: `count` is at most what is left of both.
    unsafe bytes.withUnsafeBytes {
      unsafe UnsafeMutableRawBufferPointer(rebasing: stream.loop.scratch[filled...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
    filled += count
    return count
  }

  /// Adds bytes of a body that need no wait, until the turn is full or the range ends.
  ///
  /// - Returns: the number of bytes added.
  mutating func fill(_ range: Range<UInt64>, of body: any ResponseBody) throws(SendError) -> UInt64 {
    var offset = range.lowerBound
    while offset < range.upperBound, !isFull {
      let wanted = Int(min(UInt64(turnByteCount - filled), range.upperBound - offset))
      let count: Int
      do throws(ResponseBodyError) {
        // Safe because `filled + wanted` is at most the scratch buffer's size.
        count = unsafe try body.readImmediately(
          at: offset, into: UnsafeMutableRawBufferPointer(rebasing: stream.loop.scratch[filled..<(filled + wanted)]))
      } catch { throw .body(error) }
      guard count > 0 else { break }
      filled += count
      hasBody = true
      offset += UInt64(count)
      if offset > body.memoryPrefixByteCount { needsRevalidation = body }
    }
    return offset - range.lowerBound
  }

  private var turnByteCount: Int {
    let most = min(stream.turnByteCount, BufferSize.scratch)
    guard let pace else { return most }
    return min(most, pace.turnByteCount)
  }
  private var isFull: Bool { filled >= turnByteCount }

  /// Waits for bytes that are not available yet. Other connections use the scratch buffer during the wait, so it is
  /// emptied first. Its bytes are sent, because a player can use them already. If it contains only a head, the head is
  /// kept in memory instead, so that the answer can still be replaced if the wait fails.
  private mutating func wait(for range: Range<UInt64>, of body: any ResponseBody) async throws(SendError) -> UInt64 {
    var held: [UInt8] = []
    if hasSent || hasBody {
      try await endTurn(before: range.upperBound - range.lowerBound)
    } else {
      // Safe because `filled` bytes of the buffer were written.
      held = unsafe Array(UnsafeRawBufferPointer(rebasing: stream.loop.scratch[..<filled]))
      filled = 0
    }
    let wanted = Int(min(UInt64(turnByteCount - held.count), range.upperBound - range.lowerBound))
    let loaded: [UInt8]
    stream.onHangUp { body.giveUp() }
    defer { stream.onHangUp(nil) }
    do throws(ResponseBodyError) {
      loaded = try await body.read(at: range.lowerBound, count: wanted, for: Viewer(over: stream))
    } catch {
      throw .body(error)
    }
    guard !loaded.isEmpty, loaded.count <= wanted else { throw .body(.unreadable("a read returned no bytes")) }
    _ = fill(held[...])
    _ = fill(loaded[...])
    hasBody = true
    needsRevalidation = body
    return UInt64(loaded.count)
  }

  /// Sends as many of the gathered bytes as the socket accepts.
  ///
  /// - Returns: true if the socket accepted all of them.
  mutating func sendTurn() throws(SendError) -> Bool {
    // After the last read and before the first byte is sent: so the bytes that were read are the ones that were
    // promised.
    if let body = needsRevalidation {
      needsRevalidation = nil
      guard body.isUnchanged() else { throw .body(.changed("it was changed while it was being sent")) }
    }
    let count = filled
    filled = 0
    hasBody = false
    guard count > 0 else { return true }
    sentByteCount += UInt64(count)
    do throws(StreamError) {
      let isSent = unsafe try stream.send(UnsafeRawBufferPointer(rebasing: stream.loop.scratch[..<count]))
      if let pace { pace.settle() }
      return isSent
    } catch { throw .stream(error) }
  }

  /// Sends the gathered bytes, waits until the socket has accepted them, and then waits for the next turn.
  ///
  /// - Parameter byteCount: the number of bytes that remain to be sent after this turn.
  private mutating func endTurn(before byteCount: UInt64) async throws(SendError) {
    if try sendTurn() { await stream.loop.yield() } else { try await flush() }
    if let pace { await pace.waitForTurn(before: byteCount) }
  }

  /// Waits until the socket has accepted the rest of the last turn.
  func flush() async throws(SendError) {
    do throws(StreamError) { try await stream.flush(idle: idle) } catch { throw .stream(error) }
  }

  /// Discards the gathered bytes that were not sent.
  mutating func discard() {
    filled = 0
    hasBody = false
    needsRevalidation = nil
  }
}
