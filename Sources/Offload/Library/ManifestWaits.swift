internal import Formats
internal import FootageAPI
internal import RecordingLibrary
internal import Synchronization
internal import System

/// Who waits for a manifest that is being made.
final class ManifestWaits: Sendable {
  typealias Outcome = Result<ManifestAnswer, LibraryError>

  private struct Key: Hashable {
    let name: RelativePath
    let tag: VersionTag
  }

  private let waiting = Mutex<[Key: Suspension<Outcome>]>([:])

  /// Waits for one.
  ///
  /// - Parameter ask: begins to make it, or has it already.
  func manifest(
    name: String, tag: VersionTag, _ ask: () throws(LibraryError) -> ManifestAnswer
  ) async -> Outcome {
    let key = Key(name: RelativePath(name), tag: tag)
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
    resume(Key(name: RelativePath(notice.name), tag: notice.tag), notice.result.map { .ready($0) })
  }

  private func resume(_ key: Key, _ outcome: Outcome) {
    waiting.withLock { $0.removeValue(forKey: key) }?.resume(returning: outcome)
  }
}
