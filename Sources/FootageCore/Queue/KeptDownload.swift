/// Fetches one recording of the queue into the cache, has it kept there, and describes it.
struct KeptDownload: Sendable {
  let key: RecordingKey
  let robot: RobotConnection
  let cache: MediaCache
  let onProgress: @Sendable (DownloadProgress) -> Void

  /// - Returns: its length in bytes, once it is here and kept.
  func fetch() async -> Result<UInt64, DownloadQueue.Failure> {
    let outcome = await fetchOnce()
    // What was replaced while it came is to be here as it is now. That happens twice in a row to what never holds still.
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

  /// What is on this device says when it began and how long it is, also where the robot was not asked about it before.
  private func describe(_ playback: Playback) async {
    guard await cache.listed(playback.key, playback.version) == nil,
      // Without it, it is merely without a description.
      let listed = try? await robot.requests.once.recording(playback.key.name),
      listed.entityTag == playback.version.tag, let item = listed.itemJSON
    else { return }
    await cache.note(item, of: playback.key, playback.version)
  }
}
