/// Gathers a response in the loop's scratch buffer and sends it in turns that are fair to the other connections.

internal import FootageHTTP

/// Why a response was not sent to its end.
enum SendError: Error {
  case stream(StreamError)
  case body(ResponseBodyError)
}

/// Lives for one response. The scratch buffer is the loop's: whatever is in it is sent, or dropped, before anything is
/// waited for.
struct ResponseWriter {
  private let stream: Stream
  private let idle: Duration
  /// Nil where nothing limits the rate.
  private let pace: ConnectionPace?
  /// Bytes in the scratch buffer.
  private var filled = 0
  /// Whether bytes of a body are among them.
  private var hasBody = false
  /// Whose bytes are among them that have to be vouched for.
  private var needsRevalidation: (any ResponseBody)?
  /// Bytes of head and body that were handed to the stream.
  private var sentByteCount: UInt64 = 0

  init(_ stream: Stream, idle: Duration, pace: ConnectionPace?) {
    self.stream = stream
    self.idle = idle
    self.pace = pace
  }

  /// Whether anything of this response has left, so that it cannot become another one.
  var hasSent: Bool { sentByteCount > 0 }

  /// Bytes of the body among them, where the head has so many.
  func sentBodyByteCount(behind headByteCount: Int) -> UInt64 {
    sentByteCount > UInt64(headByteCount) ? sentByteCount - UInt64(headByteCount) : 0
  }

  /// Adds bytes: a head, a refusal, what stands between the parts of a multipart body.
  mutating func append(_ bytes: ArraySlice<UInt8>) async throws(SendError) {
    var rest = bytes
    while true {
      rest = rest.dropFirst(fillTurn(rest))
      guard !rest.isEmpty else { return }
      try await endTurn(before: UInt64(rest.count))
    }
  }

  /// - Returns: how many bytes fit into this turn.
  private mutating func fillTurn(_ bytes: ArraySlice<UInt8>) -> Int {
    // A head is always taken, whatever is in the buffer already: it is never longer than what is beside a turn.
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

  /// Adds as much of the bytes as there is room for.
  ///
  /// - Returns: how many.
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

  /// Adds of a body what is at hand, until the turn is full or the range at its end.
  ///
  /// - Returns: how many bytes.
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

  /// Waits for cold bytes. Others use the scratch buffer meanwhile, so it is emptied before: into the socket, since a
  /// player can use what is here, or, where that is the head alone, into memory, so that the answer can still become
  /// another one if the wait is in vain.
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
    guard !loaded.isEmpty, loaded.count <= wanted else { throw .body(.unreadable("a read came back empty")) }
    _ = fill(held[...])
    _ = fill(loaded[...])
    hasBody = true
    needsRevalidation = body
    return UInt64(loaded.count)
  }

  /// Sends what has gathered, as far as the socket takes it.
  ///
  /// - Returns: whether all of it went out.
  mutating func sendTurn() throws(SendError) -> Bool {
    // After the last read and before the first byte leaves: what was read in between is what was promised.
    if let body = needsRevalidation {
      needsRevalidation = nil
      guard body.isUnchanged() else { throw .body(.changed("it was changed while it was sent")) }
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

  /// Sends what has gathered, waits until the socket has taken it, and for the next turn.
  ///
  /// - Parameter byteCount: how much there is to send after that.
  private mutating func endTurn(before byteCount: UInt64) async throws(SendError) {
    if try sendTurn() { await stream.loop.yield() } else { try await flush() }
    if let pace { await pace.waitForTurn(before: byteCount) }
  }

  /// Waits until the socket has taken what the last turn left.
  func flush() async throws(SendError) {
    do throws(StreamError) { try await stream.flush(idle: idle) } catch { throw .stream(error) }
  }

  /// Drops what has gathered and was not sent.
  mutating func discard() {
    filled = 0
    hasBody = false
    needsRevalidation = nil
  }
}
