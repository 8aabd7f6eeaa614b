/// Files that are made of what the cache has.
extension RobotConnection {
  /// Writes a recording that is all in a cache, in the version that the robot has now, into a file. The robot is asked
  /// which version that is, and for no byte of it.
  ///
  /// - Returns: nil where it has to be fetched: it is not all there, its file is there already or has been begun, or
  ///   the robot cannot be asked just now.
  /// - Throws: `RobotError`; `.file` where the file cannot be written.
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
      // What the cache has is not to be used after all.
      default: return nil
      }
    }
    PartialFile.note(version, of: name, at: path)
    return DownloadedRecording(name: name, entityTag: version.tag, length: version.length, wasThere: false)
  }

  /// - Returns: nil where the robot does not say it now, which a download knows how to deal with.
  private func listedTag(of name: String) async throws(RobotError) -> String? {
    do throws(RobotError) { return try await recording(name).entityTag } catch {
      guard error.canPass else { throw error }
      return nil
    }
  }
}
