internal import FootageBase
internal import FootageHTTP

/// The body of a response with a recording or a view of it. Its bytes are read from the cache or fetched from the
/// robot.
final class PlaybackBody: ResponseBody {
  let metadata: RepresentationMetadata
  /// The number of bytes that cannot change. These are all bytes, because the tag identifies one version.
  let memoryPrefixByteCount: UInt64
  /// The playback; nil if the body has no bytes of a recording.
  private let playback: Playback?
  /// The bytes of the body. Source 0 is the recording.
  private let bytes: Composition
  /// The range of the representation that is to be read.
  private var wanted: Range<UInt64> = 0..<0
  /// The reader of the current slice.
  private var reader: (slice: Int, PlaybackReader)?
  /// True if the first wanted byte of the recording is available. Bytes before it that the film adds are not sent until
  /// then, so that a request for unavailable bytes is answered with an error instead of a broken body.
  private var isAnswered = false
  /// The bytes that were read to find out that the recording is available. They are sent next.
  private var ahead: (offset: UInt64, bytes: [UInt8]) = (0, [])
  private var waiting: Task<Result<[UInt8], MediaCacheError>, Never>?
  /// True if the player has left, which may happen before the first read.
  private var isGivenUp = false

  /// - Returns: nil if the tag of the version is invalid.
  convenience init?(wholeOf playback: Playback) {
    let whole = PlaybackView(
      bytes: Composition([], then: [0..<playback.version.length]), mediaType: "video/mp4",
      entityTag: playback.version.tag, isForEver: false)
    self.init(whole, of: playback)
  }

  /// - Parameter playback: the playback that source 0 stands for; nil if there is none.
  /// - Returns: nil if the tag of the view is invalid.
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

  /// The offset in the representation of the first wanted byte that belongs to the recording; nil if there is none.
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

  /// Returns the bytes at an offset of the response's representation, or the reader for them. A new reader begins to
  /// fetch.
  private func place(of offset: UInt64) -> Place? {
    let index = bytes.indexOfSlice(at: offset)
    guard index < bytes.slices.count else { return nil }
    let start = bytes.start(ofSlice: index)
    switch bytes.slices[index] {
    case .literal(let literal): return .literal(literal.dropFirst(Int(offset - start)))
    case .range(_, let range):
      let position = range.lowerBound + (offset - start)
      if let reader, reader.slice == index { return .recording(reader.1, at: position) }
      // The reader gets no more than the response needs.
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
      // Safe because no more than one byte is read into a buffer of one byte.
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
      // Safe because no more is copied than fits into the buffer, which is the caller's for the call.
      unsafe part.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
      return part.count
    // Safe because the buffer is the caller's for the call.
    case .recording(let reader, let position): return unsafe reader.readImmediately(at: position, into: buffer)
    case nil: return 0
    }
  }

  /// Returns bytes, and waits for them until `PlaybackReader.read` returns or fails, or the player has disconnected.
  func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    guard !isGivenUp else { throw .unreadable("the player disconnected") }
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
    case nil: throw .unreadable("the range is outside the recording")
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
