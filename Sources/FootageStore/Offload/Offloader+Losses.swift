internal import FootageAPI
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The versions that the store was found to have lost, completely or in part.
extension Offloader {
  struct LostVersion {
    let row: OffloadRow
    let loss: StoreLoss
    /// The last result of the search for its file on the robot.
    var presence: FilePresence
  }

  /// The interval at which the store is asked again for lost versions that no disk has. `lossesAtOnce` is the number of
  /// versions that are checked each time.
  private static let lossInterval = Duration.seconds(20)
  private static let lossesAtOnce = 20

  /// Handles the loss of a version that the store had.
  ///
  /// - Returns: true if its file is on the robot, so that it is sent again; false if it is not; nil if that is not
  ///   known yet.
  func noteLoss(_ row: OffloadRow, _ loss: StoreLoss) throws(OffloadError) -> Bool? {
    let presence = surroundings.files.presence(of: keys(of: row))
    var noted = row
    noted.manifest = nil
    // Recorded durably, whether the file is here or not: it may come back, and is the only good copy then.
    if loss.concernsBytes { noted.isDistrusted = true }
    switch presence {
    case .here:
      lost[row.key] = nil
      noted.state = noted.isDistrusted ? .uploading : .queued
      noted.storedSeconds = nil
      noted.upload = nil
      try record.put(noted)
      rows[row.key] = noted
      retries[row.key] = nil
      surroundings.files.noteLost(noted)
      surroundings.files.announce([noted])
      surroundings.log(.warning("\(row.name): \(loss): it will be sent again"))
      hasNews = true
      sleeper.wake()
      return true
    case .absent, .unknown:
      if noted != rows[row.key] {
        try record.put(noted)
        rows[row.key] = noted
      }
      let isNews = lost[row.key]?.presence != presence
      lost[row.key] = LostVersion(row: noted, loss: loss, presence: presence)
      surroundings.files.noteDoubt(noted)
      if isNews, presence == .absent { surroundings.log(.warning("\(row.name): \(loss), and it is not on the robot")) }
      noteMissing()
      return presence == .absent ? false : nil
    }
  }

  /// Searches again for the files of lost versions. They may be found after their disk is mounted or the folder is
  /// scanned.
  func settleLosses() throws(OffloadError) {
    for (key, version) in lost {
      let presence = surroundings.files.presence(of: keys(of: version.row))
      guard presence != version.presence else { continue }
      if let row = rows[key], row.state == .stored {
        _ = try noteLoss(row, version.loss)
      } else {
        lost[key] = nil
      }
    }
    noteMissing()
  }

  /// Asks the store again for lost versions, because an earlier answer of the store may have been wrong.
  func lookAtLosses() async throws(OffloadError) {
    guard !lost.isEmpty else {
      nextLossLook = .never
      return
    }
    guard nextLossLook <= loop.clock.now else {
      if nextLossLook == .never { nextLossLook = loop.clock.deadline(after: Self.lossInterval) }
      return
    }
    nextLossLook = loop.clock.deadline(after: Self.lossInterval)
    let presence = StoredPresence(store: surroundings.asking, prefix: surroundings.prefix)
    // No length shows that the store has other bytes. That takes a task that reads all of them.
    for (key, version) in lost.filter({ !$0.value.row.isDistrusted }).shuffled().prefix(Self.lossesAtOnce) {
      do throws(OffloadError) {
        try await presence.expect(version.row, manifestLength: try record.manifest(of: key)?.count)
      } catch {
        guard case .lost = error else { throw error }
        continue
      }
      guard let row = rows[key], row.state == .stored, !row.isDistrusted, lost.removeValue(forKey: key) != nil else {
        continue
      }
      surroundings.files.noteStored(version.row)
      surroundings.log(.warning("\(version.row.name) is in the store again"))
    }
    noteMissing()
  }

  func noteMissing() {
    let missing = lost.values.filter { $0.presence == .absent }.map(\.row.name)
    troubles.missing = missing.min().map { first in
      HealthReport.Reason(
        .offloadMissing,
        "\(missing.count) \(missing.count == 1 ? "recording" : "recordings") that only the store had "
          + "\(missing.count == 1 ? "is" : "are") missing or changed there, for example \(first). Put a copy back, if "
          + "anyone has one; footage offload remove NAME removes one from the list")
    }
  }
}
