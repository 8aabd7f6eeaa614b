/// The download of one recording of the queue into the cache, which then keeps and describes it.
struct KeptDownload: Sendable {
  let key: RecordingKey
  let robot: RobotConnection
  let cache: MediaCache
  let onProgress: @Sendable (DownloadProgress) -> Void

  /// - Returns: the length of the recording in bytes, once it is complete in the cache and kept.
  func fetch() async -> Result<UInt64, DownloadQueue.Failure> {
    let outcome = await fetchOnce()
    // A recording that was replaced while it came should be here as it is now. One that is replaced twice in a row
    // never holds still.
    guard case .failure(.cache(.replaced)) = outcome else { return outcome }
    return await fetchOnce()
  }

  private func fetchOnce() async -> Result<UInt64, DownloadQueue.Failure> {
    do throws(RobotError) {
      let playback = try await robot.playback(of: key.name)
      do throws(MediaCacheError) {
        try await playback.download(onProgress: onProgress)
        try await cache.keep(playback.key)
        await describe(playback)
        return .success(playback.version.length)
      } catch { return .failure(.cache(error)) }
    } catch { return .failure(.robot(error)) }
  }

  /// Stores the start and the duration of the recording in the cache, so that they are known even if the robot has
  /// never listed the recording.
  private func describe(_ playback: Playback) async {
    guard await cache.listed(playback.key, playback.version) == nil,
      // If this fails, the recording is merely without a description.
      let listed = try? await robot.requests.once.recording(playback.key.name),
      listed.entityTag == playback.version.tag, let item = listed.itemJSON
    else { return }
    await cache.note(item, of: playback.key, playback.version)
  }
}
