internal import FootageAPI
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The tasks that were requested.
extension Offloader {
  /// Returns the names of the requested recordings. A name that no recording has loses its extension, if that is a
  /// video's.
  func listedNames(_ names: [String]) -> [String] {
    guard names.contains(where: { RecordingName.isVideo(Array($0.utf8)) }) else { return names }
    var known = Set(rows.values.map { RelativePath($0.name) })
    for row in surroundings.files.owed() { known.insert(RelativePath(row.name)) }
    return names.map { name in
      guard !known.contains(RelativePath(name)), case .recording(let bare) = RecordingName.of(RelativePath(name)) else {
        return name
      }
      return bare.text
    }
  }

  func carryOut(_ task: OffloadTask) async {
    let state: OffloadTask.State
    do throws(OffloadError) {
      state = .done(try await outcome(of: task))
    } catch {
      state = .failed(error.description)
      if let trouble = error.trouble {
        note(trouble)
        nextProbe = loop.clock.now
      }
    }
    tasks.note(task.number, state)
  }

  private func outcome(of task: OffloadTask) async throws(OffloadError) -> String {
    if isForeign, let foreign = troubles.foreign { throw .refused(foreign.text) }
    let stored = rows.values.filter { ExactName($0.name) == ExactName(task.name) && $0.state == .stored }
    switch task.verb {
    case .now:
      if let owed = surroundings.files.owed().first(where: { ExactName($0.name) == ExactName(task.name) }) {
        retries[owed.key] = nil
        guard try await bring(rows[owed.key] ?? owed) else { throw .changed(name: task.name) }
        return "it is in the store"
      }
      guard stored.isEmpty else { return "it is already in the store" }
      throw .refused("there is no recording with that name that could be stored")
    case .release: return try release(surroundings.files.listed(of: stored) ?? stored.first)
    case .restore, .verify, .read, .remove: break
    }
    let work = StoredWork(
      store: surroundings.store, files: surroundings.files, prefix: surroundings.prefix,
      manifestLimit: surroundings.manifestLimit)
    guard let row = surroundings.files.listed(of: stored) ?? stored.first else {
      throw .refused("the store has no recording with that name")
    }
    do throws(OffloadError) {
      let words = try await carryOut(task.verb, on: row, work)
      try noteFound(row, after: task.verb)
      return words
    } catch {
      guard case .lost(_, let loss) = error, let row = rows[row.key], row.state == .stored else { throw error }
      let then =
        switch try noteLoss(row, loss) {
        case true?: "it will be sent again"
        case false?: "it is not on the robot either"
        case nil: "it is not known yet whether it is on the robot"
        }
      throw .refused("\(loss): \(then)")
    }
  }

  /// Ends the protection of a version that only the store has. The protection of a file on the disk is ended by
  /// `footage release`, because it is recorded on the file or in a list.
  private func release(_ row: OffloadRow?) throws(OffloadError) -> String {
    guard let row else { throw .refused("the store has no recording with that name") }
    guard !surroundings.files.isHere(row) else { throw .refused("it is on the robot: use footage release") }
    guard let isKept = surroundings.files.protection(of: row) else { throw Self.isNotListed }
    guard isKept else { return "it is not protected" }
    try surroundings.files.release(row)
    return "it is no longer protected"
  }

  /// The refusal for a version that is not in the list, so that it is not known if it is protected.
  private static let isNotListed = OffloadError.refused(
    "it is not listed at the moment, so it is not known whether it is protected: try again later")

  /// Records that the missing objects of a version exist again, or are no longer wanted.
  private func noteFound(_ row: OffloadRow, after verb: OffloadTask.Verb) throws(OffloadError) {
    defer { noteMissing() }
    guard verb != .remove else { return lost[row.key] = nil }
    guard var found = rows[row.key], found.state == .stored else { return }
    // All of its bytes were read.
    if found.isDistrusted, verb == .read || verb == .restore {
      found.isDistrusted = false
      try record.put(found)
      rows[row.key] = found
    }
    guard !found.isDistrusted, lost.removeValue(forKey: row.key) != nil || verb == .read || verb == .restore else {
      return
    }
    surroundings.files.noteStored(found)
  }

  private func carryOut(
    _ verb: OffloadTask.Verb, on row: OffloadRow, _ work: StoredWork
  ) async throws(OffloadError) -> String {
    switch verb {
    case .now, .release: return ""
    case .restore:
      // If the file is here, nothing is read.
      guard !surroundings.files.isHere(row) || !row.isDistrusted else {
        throw .lost(name: row.name, .bytes(key: keys(of: row).file))
      }
      return try await work.restore(row)
    case .verify:
      let words = try await work.verify(row, readingAll: false)
      guard !row.isDistrusted else { throw .lost(name: row.name, .bytes(key: keys(of: row).file)) }
      return words
    case .read: return try await work.verify(row, readingAll: true)
    case .remove:
      guard !surroundings.files.isHere(row) else {
        throw .refused("it is still on the robot and would be sent again: delete it on the robot first")
      }
      guard let isKept = surroundings.files.protection(of: row) else { throw Self.isNotListed }
      guard !isKept else { throw .refused("it is protected: release it first (footage offload release)") }
      var gone = row
      gone.state = .removing
      try record.put(gone)
      rows[row.key] = gone
      surroundings.files.noteLost(row)
      surroundings.files.announce([row])
      try await uploader.discard(gone)
      rows[row.key] = nil
      return "it is deleted from the store"
    }
  }
}
