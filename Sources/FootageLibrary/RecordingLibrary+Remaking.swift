internal import FootageAPI
internal import FootageMedia
internal import FootageSystem

/// The result of rebuilding a recording by the present rules (`footage ingest --again`).
package struct Remade: Hashable, Sendable {
  /// The part of a recording that the present rules make differently.
  package enum Reason: String, Hashable, Sendable {
    /// The preamble, and so the bytes of the recording's `.mp4`.
    case header
    /// The sample index or the facts in the list. The `.mp4` stays as it is.
    case model
  }

  package let name: String
  /// The part that was rebuilt; nil if the present rules have the same result, so that nothing has changed.
  package let why: Reason?
  /// The entity tags, without quotes, of the version before and of the one after. They are equal if nothing has changed.
  package let before: String
  package let after: String

  package init(name: String, why: Reason?, before: String, after: String) {
    self.name = name
    self.why = why
    self.before = before
    self.after = after
  }
}

extension RecordingLibrary {
  /// Rebuilds a recording by the present rules: preamble, sample index, facts, and the entity tag if any of them differ.
  /// The recorder's file is only read. Blocks for as long as an examination of the file takes.
  ///
  /// In a command, no server may be using the folder: it would not know of the new version. The folder stays locked for
  /// as long as the method runs.
  ///
  /// - Throws: `LibraryError`: `.alreadyServed` in a command, if a server uses the folder; `.unknown`; `.notReady` if it cannot be played; `.storedOnly` if its file is only in a
  ///   store; `.refusedNow` if the present rules refuse the file: then the recording stays as it was; `.changed`,
  ///   `.storage`, `.unreadable`.
  package func remake(_ name: String) throws(LibraryError) -> Remade {
    let lock = role == .command ? try lockOfCommand() : nil
    defer { withExtendedLifetime(lock) {} }
    guard let known = lookUp(name) else { throw .unknown(name: name, folder: place.recordings) }
    if known.isRemote { throw .storedOnly(name: name) }
    let (file, _) = try known.openFile()
    let examination = FileExamination.of(file, isQuickTime: known.path.isQuickTime, by: examiner)
    switch IndexResult(examination, of: file) {
    case .complete(let found, let files):
      var remade: Remade?
      let changed = file.openingStatus.changedNanoseconds
      change { worker in remade = worker.remake(known, found, files, changed: changed) }
      guard let remade else { throw .changed(name: name) }
      return remade
    case .gone, .unsettled: throw .changed(name: name)
    case .incomplete(let reason, _), .refused(let reason, _): throw .refusedNow(name: name, reason: reason)
    case .fatal(let reason, _), .failed(let reason, _): throw .unreadable(file: known.path.text, reason: reason)
    }
  }
}

extension RecordingLibrary {
  private func lockOfCommand() throws(LibraryError) -> FileLock {
    do throws(StorageError) { return try FileLock.taken(place.lock, within: LibraryLimits.commandLockPatience) } catch {
      throw error.reason == .system(.wouldBlock) ? .alreadyServed(folder: place.recordings) : .storage(error)
    }
  }
}

extension LibrarySnapshot {
  /// The names of the recordings in the folder that older rules made, in the order of their bytes.
  package var namesOfOlderRules: [String] {
    recordings.filter(\.isOfOlderRules).map { ExactName($0.name) }.sorted().compactMap(\.text)
  }
}

extension Recording {
  /// True if older rules made the preamble and the index, and the file is in the folder, so that they can be rebuilt.
  package var isOfOlderRules: Bool { content?.isOfOlderRules == true && !isRemote }
}
