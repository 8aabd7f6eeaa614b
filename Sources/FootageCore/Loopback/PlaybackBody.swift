internal import FootageBase
internal import FootageHTTP

/// A playback, or a view of it, as a response's body: out of the cache, or as the bytes come from the robot.
final class PlaybackBody: ResponseBody {
  let metadata: RepresentationMetadata
  /// What is sent is bound to its version by the tag, so nothing has to be vouched for again.
  let memoryPrefixByteCount: UInt64
  /// Nil for what has no bytes of a recording.
  private let playback: Playback?
  /// Source 0 is the recording.
  private let bytes: Composition
  /// What is read next, of the whole.
  private var wanted: Range<UInt64> = 0..<0
  /// Of the slice that is being read.
  private var reader: (slice: Int, PlaybackReader)?
  /// Whether the first of the recording's bytes that are wanted is here. What stands before them is made here, and is
  /// not sent before that: what cannot be had is refused, and not broken off.
  private var isAnswered = false
  /// What was waited for to find that out.
  private var ahead: (offset: UInt64, bytes: [UInt8]) = (0, [])
  private var waiting: Task<Result<[UInt8], MediaCacheError>, Never>?
  /// The player may have left before anything was waited for.
  private var isGivenUp = false

  /// - Returns: nil where the tag is none.
  convenience init?(wholeOf playback: Playback) {
    let whole = PlaybackView(
      bytes: Composition([], then: [0..<playback.version.length]), mediaType: "video/mp4",
      entityTag: playback.version.tag, isForEver: false)
    self.init(whole, of: playback)
  }

  /// - Parameter playback: whose bytes those of source 0 are; nil where there are none.
  /// - Returns: nil where the tag is none.
  init?(_ view: PlaybackView, of playback: Playback?) {
    guard let tag = EntityTag(view.entityTag) else { return nil }
    self.playback = playback
    bytes = view.bytes
    memoryPrefixByteCount = bytes.length
    metadata = RepresentationMetadata(
      length: bytes.length, mediaType: view.mediaType, entityTag: tag,
      cacheControl: view.isForEver ? "max-age=31536000, immutable" : "no-cache")
  }

  func begin(_ range: Range<UInt64>) {
    wanted = range
    reader?.1.close()
    reader = nil
    isAnswered = false
    ahead = (0, [])
    if let first = firstOfRecording { _ = place(of: first) }
  }

  /// Of the bytes that are wanted, in the whole; nil where none is the recording's.
  private var firstOfRecording: UInt64? {
    var index = bytes.indexOfSlice(at: wanted.lowerBound)
    while index < bytes.slices.count, bytes.start(ofSlice: index) < wanted.upperBound {
      if case .range = bytes.slices[index] { return max(wanted.lowerBound, bytes.start(ofSlice: index)) }
      index += 1
    }
    return nil
  }

  private enum Place {
    case literal(ArraySlice<UInt8>)
    /// Bytes of the recording from an offset on.
    case recording(PlaybackReader, at: UInt64)
  }

  /// Where a byte of the whole is, and what follows it there. Who has to fetch it begins.
  private func place(of offset: UInt64) -> Place? {
    let index = bytes.indexOfSlice(at: offset)
    guard index < bytes.slices.count else { return nil }
    let start = bytes.start(ofSlice: index)
    switch bytes.slices[index] {
    case .literal(let literal): return .literal(literal.dropFirst(Int(offset - start)))
    case .range(_, let range):
      let position = range.lowerBound + (offset - start)
      if let reader, reader.slice == index { return .recording(reader.1, at: position) }
      // No more than the response takes of it.
      let end = min(range.upperBound, range.lowerBound.addingClamped(max(wanted.upperBound, offset + 1) - start))
      reader?.1.close()
      reader = (try? playback?.reader(of: position..<end)).map { (index, $0) }
      return reader.map { .recording($0.1, at: position) }
    }
  }

  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int {
    if !isAnswered {
      guard let first = firstOfRecording else {
        isAnswered = true
        // Safe because the buffer is the caller's for the call.
        return try unsafe readImmediately(at: offset, into: buffer)
      }
      guard case .recording(let reader, let position)? = place(of: first) else { return 0 }
      // Safe because no more than one byte is read into the one.
      let count = unsafe withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
        unsafe reader.readImmediately(at: position, into: $0)
      }
      guard count > 0 else { return 0 }
      isAnswered = true
    }
    if offset == ahead.offset, !ahead.bytes.isEmpty { return 0 }
    switch place(of: offset) {
    case .literal(let literal):
      let part = literal.prefix(buffer.count)
      // Safe because no more is copied than the buffer, which is the caller's for the call, can hold.
      unsafe part.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
      return part.count
    // Safe because the buffer is the caller's for the call.
    case .recording(let reader, let position): return unsafe reader.readImmediately(at: position, into: buffer)
    case nil: return 0
    }
  }

  /// Waits for as long as the robot may come back, or until the player has left.
  func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    guard !isGivenUp else { throw .unreadable("the player has left") }
    if !isAnswered, let first = firstOfRecording, case .recording(let reader, let position)? = place(of: first) {
      ahead = (first, try await read(reader, at: position, count: count))
    }
    isAnswered = true
    if offset == ahead.offset, !ahead.bytes.isEmpty {
      let bytes = Array(ahead.bytes.prefix(count))
      ahead = (offset + UInt64(bytes.count), Array(ahead.bytes.dropFirst(count)))
      return bytes
    }
    switch place(of: offset) {
    case .literal(let literal): return Array(literal.prefix(count))
    case .recording(let reader, let position): return try await read(reader, at: position, count: count)
    case nil: throw .unreadable("the range is not the recording's")
    }
  }

  private func read(_ reader: PlaybackReader, at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8]
  {
    // A task of its own, so that a player that leaves can end it.
    let task = Task { () async -> Result<[UInt8], MediaCacheError> in
      do throws(MediaCacheError) { return .success(try await reader.read(at: offset, count: count)) } catch {
        return .failure(error)
      }
    }
    waiting = task
    defer { waiting = nil }
    switch await task.value {
    case .success(let bytes): return bytes
    case .failure(let error): throw .unreadable(error.description)
    }
  }

  func giveUp() {
    isGivenUp = true
    waiting?.cancel()
  }

  func isUnchanged() -> Bool { true }
}
