/// Gathers a response in the loop's scratch buffer and sends it in turns that are fair to the other connections.

internal import Networking

/// Why a response was not sent to its end.
enum TurnFailure: Error {
  case stream(StreamError)
  case body(ResponseBodyError)
}

/// Lives for one response. The scratch buffer is the loop's: whatever is in it is sent, or dropped, before anything is
/// waited for.
struct TurnWriter<Body: ResponseBody> {
  private let stream: Stream
  private let idle: Duration
  /// Bytes in the scratch buffer.
  private var filled = 0
  /// Bytes of head and body that were handed to the stream.
  private var sentByteCount: UInt64 = 0

  /// Whether anything of this response has left, so that it cannot become another one.
  var hasSent: Bool { sentByteCount > 0 }

  /// Bytes of the body among them, where the head has so many.
  func sentBodyByteCount(behind headByteCount: Int) -> UInt64 {
    sentByteCount > UInt64(headByteCount) ? sentByteCount - UInt64(headByteCount) : 0
  }

  init(_ stream: Stream, idle: Duration) {
    self.stream = stream
    self.idle = idle
  }

  /// Adds bytes: a head, a document, what stands between the parts of a multipart body.
  mutating func append(_ bytes: [UInt8]) async throws(TurnFailure) {
    var start = 0
    while start < bytes.count {
      let count = min(bytes.count - start, BufferSize.scratch - filled)
      // Safe because neither buffer is overrun: `count` is at most what is left of both.
      unsafe bytes.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(rebasing: stream.loop.scratch[filled...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)]))
      }
      filled += count
      start += count
      if start < bytes.count { try await endTurn(of: nil, hasMore: true) }
    }
  }

  /// Adds a range of a body, turn after turn.
  mutating func append(_ range: Range<UInt64>, of body: borrowing Body) async throws(TurnFailure) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let room = min(stream.turnByteCount, BufferSize.scratch) - filled
      guard room > 0 else {
        try await endTurn(of: copy body, hasMore: true)
        continue
      }
      let wanted = Int(min(UInt64(room), range.upperBound - offset))
      let count: Int
      do throws(ResponseBodyError) {
        // Safe because `filled + wanted` is at most the scratch buffer's size.
        count = unsafe try body.readImmediately(
          at: offset, into: UnsafeMutableRawBufferPointer(rebasing: stream.loop.scratch[filled..<(filled + wanted)]))
      } catch { throw .body(error) }
      if count > 0 {
        filled += count
        offset += UInt64(count)
      } else {
        // Cold: others use the scratch buffer while this one waits for the disk.
        let held = try await clear(of: copy body)
        let loaded: [UInt8]
        do throws(ResponseBodyError) { loaded = try await body.read(at: offset, count: wanted) } catch {
          throw .body(error)
        }
        guard !loaded.isEmpty, loaded.count <= wanted else { throw .body(.unreadable("a read came back empty")) }
        try await append(held)
        try await append(loaded)
        offset += UInt64(loaded.count)
      }
    }
  }

  /// Empties the scratch buffer before a wait: into the socket, or, where nothing has left yet, into memory, so that the
  /// answer can still become another one if the wait is in vain.
  private mutating func clear(of body: Body) async throws(TurnFailure) -> [UInt8] {
    guard hasSent else {
      defer { filled = 0 }
      // Safe because `filled` bytes of the buffer were written.
      return unsafe Array(UnsafeRawBufferPointer(rebasing: stream.loop.scratch[..<filled]))
    }
    if filled > 0 { try await endTurn(of: body, hasMore: true) }
    return []
  }

  /// Sends what has gathered.
  ///
  /// - Parameter body: where the bytes are from, if they have to be vouched for.
  mutating func endTurn(of body: Body?, hasMore: Bool) async throws(TurnFailure) {
    // After the last read and before the first byte leaves: what was read in between is what was promised.
    if let body, !body.isUnchanged() { throw .body(.changed("the recording was changed while it was sent")) }
    let count = filled
    filled = 0
    guard count > 0 else { return }
    sentByteCount += UInt64(count)
    do throws(StreamError) {
      let isDone = unsafe try stream.send(UnsafeRawBufferPointer(rebasing: stream.loop.scratch[..<count]))
      if !isDone { try await stream.flush(idle: idle) } else if hasMore { await stream.loop.yield() }
    } catch { throw .stream(error) }
  }

  /// Drops what has gathered and was not sent.
  mutating func discard() { filled = 0 }
}
