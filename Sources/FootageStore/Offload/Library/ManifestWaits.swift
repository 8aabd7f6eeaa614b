internal import FootageBase
internal import FootageAPI
internal import FootageLibrary
internal import Synchronization
internal import FootageSystem

/// The waits for manifests that are being made.
final class ManifestWaits: Sendable {
  typealias Outcome = Result<ManifestAnswer, LibraryError>

  private let waiting = Mutex<[VersionKey: Suspension<Outcome>]>([:])

  /// Waits for a manifest.
  ///
  /// - Parameter ask: begins to make the manifest, or returns it if it exists.
  func manifest(
    name: String, tag: VersionTag, _ ask: () throws(LibraryError) -> ManifestAnswer
  ) async -> Outcome {
    let key = VersionKey(name: name, tag: tag.text)
    return await Suspension.suspend { suspension in
      // This precedes the request, because the manifest may be there at once.
      waiting.withLock { $0[key] = suspension }
      do throws(LibraryError) {
        let answer = try ask()
        if case .ready = answer { resume(key, .success(answer)) }
      } catch { resume(key, .failure(error)) }
    }
  }

  func note(_ notice: ManifestNotice) {
    resume(VersionKey(name: notice.name, tag: notice.tag.text), notice.result.map { .ready($0) })
  }

  private func resume(_ key: VersionKey, _ outcome: Outcome) {
    waiting.withLock { $0.removeValue(forKey: key) }?.resume(returning: outcome)
  }
}
