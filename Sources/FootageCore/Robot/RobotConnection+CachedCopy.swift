/// Files that are made from the bytes in the cache.
extension RobotConnection {
  /// Writes a recording into a file, if the cache has the robot's current version completely. The robot is only asked
  /// for the recording's version.
  ///
  /// - Returns: nil if the recording has to be downloaded: it is not complete in the cache, the file or its partial
  ///   file exists already, or the robot does not report its version now.
  /// - Throws: `RobotError`; `.file` if the file cannot be written.
  package func copyFromCache(
    _ name: String, to path: String, in cache: MediaCache?
  ) async throws(RobotError) -> DownloadedRecording? {
    guard let cache else { return nil }
    let key = await cache.key(of: name, on: cacheNames)
    let complete = await cache.entries().filter { $0.key == key && $0.isComplete }.map(\.version)
    guard !complete.isEmpty, !PartialFile.isBegun(at: path), let tag = try await listedTag(of: name),
      let version = complete.first(where: { $0.tag == tag }),
      PartialFile.finishedVersion(of: name, at: path) != version
    else { return nil }
    await cache.robotHas(version, key)
    do throws(MediaCacheError) { try await cache.export(key, to: path) } catch {
      switch error {
      case .cancelled: throw .cancelled
      case .file(let failure): throw .file(failure)
      // The cached bytes turned out to be unusable.
      default: return nil
      }
    }
    PartialFile.note(version, of: name, at: path)
    return DownloadedRecording(name: name, entityTag: version.tag, length: version.length, wasThere: false)
  }

  /// - Returns: nil if the robot does not answer now. A download then waits for it.
  private func listedTag(of name: String) async throws(RobotError) -> String? {
    do throws(RobotError) { return try await recording(name).entityTag } catch {
      guard error.canPass else { throw error }
      return nil
    }
  }
}
