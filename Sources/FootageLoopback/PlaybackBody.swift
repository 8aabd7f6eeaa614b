internal import FootageCore
internal import HTTPSemantics
internal import HTTPTransport

/// A playback as a response's body: out of the cache, or as the bytes come from the robot.
final class PlaybackBody: ResponseBody {
  let metadata: RepresentationMetadata
  /// What is sent is bound to its version by the tag, so nothing has to be vouched for again.
  let memoryPrefixByteCount: UInt64
  private let playback: Playback
  private var reader: PlaybackReader?
  private var waiting: Task<Result<[UInt8], MediaCacheError>, Never>?
  /// The player may have left before anything was waited for.
  private var isGivenUp = false

  /// - Returns: nil where the version's tag is none.
  init?(_ playback: Playback) {
    guard let tag = EntityTag(playback.version.tag) else { return nil }
    self.playback = playback
    memoryPrefixByteCount = playback.version.length
    metadata = RepresentationMetadata(
      length: playback.version.length, mediaType: "video/mp4", entityTag: tag, cacheControl: "no-cache")
  }

  func begin(_ range: Range<UInt64>) {
    reader?.close()
    reader = try? playback.reader(of: range)
  }

  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int {
    // Safe because the buffer is the caller's for the call.
    unsafe reader?.readImmediately(at: offset, into: buffer) ?? 0
  }

  /// Waits for as long as the robot may come back, or until the player has left.
  func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    guard let reader else { throw .unreadable("the range is not the recording's") }
    guard !isGivenUp else { throw .unreadable("the player has left") }
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
