internal import FootageBase
internal import FootageAPI
internal import FootageLibrary
internal import Synchronization
internal import FootageSystem

/// Who waits for a manifest that is being made.
final class ManifestWaits: Sendable {
  typealias Outcome = Result<ManifestAnswer, LibraryError>

  private let waiting = Mutex<[VersionKey: Suspension<Outcome>]>([:])

  /// Waits for one.
  ///
  /// - Parameter ask: begins to make it, or has it already.
  func manifest(
    name: String, tag: VersionTag, _ ask: () throws(LibraryError) -> ManifestAnswer
  ) async -> Outcome {
    let key = VersionKey(name: name, tag: tag.text)
    return await Suspension.suspend { suspension in
      // Before it is asked for: it may be there at once.
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
