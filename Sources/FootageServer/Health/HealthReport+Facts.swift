internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageLibrary
internal import FootageSystem

extension HealthReport {
  /// Creates the report that follows from the facts. Pure: the same facts give the same words.
  ///
  /// A viewer who may not see everything gets full sentences about their own cameras only. Of the reasons about the
  /// robot as a whole they get only the codes: the sentences may name or count recordings of other cameras, or reveal
  /// when they were made.
  ///
  /// - Parameters:
  ///   - cameras: the cameras that the viewer may see. The report says nothing about the others.
  ///   - recordings: the number of the viewer's recordings.
  init(_ facts: HealthFacts, seenBy cameras: CameraSelection = .all, recordings: Int? = nil) {
    let now = facts.now.milliseconds &* 1_000_000
    let silence = CameraSilence(facts.statistics.cameras, at: now)
    var reasons = (Self.diskReasons(facts) + Self.libraryReasons(facts)).told(to: cameras)
    reasons += Self.refusedReasons(facts.statistics.refusals.filter { cameras.contains(camera: $0.camera) })
    reasons += Self.lateReasons(silence.late.filter { cameras.contains(camera: $0.camera) })
    reasons += Self.robotReasons(facts, silence).told(to: cameras)
    self.init(
      recordings: recordings ?? facts.recordingCount, reasons: reasons,
      forecastSeconds: cameras.isEverything ? facts.forecastSeconds : nil)
  }

  /// Returns the reasons about the robot as a whole, except for its disk and its library.
  private static func robotReasons(_ facts: HealthFacts, _ silence: CameraSilence) -> [Reason] {
    var reasons: [Reason] = []
    if let seconds = silence.allSilentSeconds {
      reasons.append(Reason(.camerasSilent, "No camera has recorded for \(HealthText.span(seconds))."))
    }
    reasons += machineReasons(
      certificateEnd: facts.certificateEnd, certificateFailure: facts.certificateFailure, now: facts.now,
      built: facts.built)
    if facts.indexerRestartsOfLastHour >= HealthLimits.indexerRestarts {
      reasons.append(
        Reason(
          .indexerRestarts,
          "The process that reads recordings has ended \(facts.indexerRestartsOfLastHour) times within an hour: look for "
            + "refused recordings, and for want of memory (journalctl -k)."))
    }
    if let failure = facts.retentionFailure { reasons.append(Reason(.retentionFailing, HealthText.sentence(failure))) }
    if facts.isRetentionShort {
      reasons.append(
        Reason(
          .retentionShort,
          "There is less room than the rules ask for, and nothing that may be deleted: release what is protected, keep less "
            + "(--keep-at-least), or see what is not in the store yet."))
    }
    if let lost = facts.lostUnstored {
      reasons.append(
        Reason(
          .unstoredDeleted,
          "\(HealthText.recordings(Int(clamping: lost.count))) went to make room before reaching the store, the last one "
            + "\(HealthText.span(lost.seconds)) ago: see footage offload status, or serve with --offload-strict."))
    }
    reasons += keepReasons(facts)
    reasons += facts.offloadTroubles.map { trouble in
      var trouble = trouble
      trouble.text = HealthText.sentence(trouble.text)
      return trouble
    }
    return reasons
  }

  /// Returns the reasons about viewers who protect much. The library keeps a sum for each viewer, so nothing is counted
  /// here.
  private static func keepReasons(_ facts: HealthFacts) -> [Reason] {
    guard let limit = facts.keepLimit else { return [] }
    return facts.library.keptShares.prefix { $0.bytes >= limit / 10 * HealthLimits.keepShareTenths }.map { share in
      Reason(
        .keepShare,
        "The viewer \"\(LogText.escaped(Array(share.viewer.utf8)[...]))\" protects \(HealthText.bytes(share.bytes)), and "
          + "may protect \(HealthText.bytes(limit)) (--keep-share): release what is not needed, so that there is room for "
          + "new recordings.")
    }
  }

  private static func diskReasons(_ facts: HealthFacts) -> [Reason] {
    guard facts.silentDiskSeconds <= HealthLimits.stuckSeconds else {
      return [
        Reason(
          .diskStuck,
          "The disk of the recordings has not answered for \(HealthText.span(facts.silentDiskSeconds)): look at it "
            + "(journalctl -k), and at its cable or network.")
      ]
    }
    // If a mount is lost, the free space belongs to another disk.
    guard let space = facts.space, !facts.library.isFolderMissing, facts.library.awayCount == 0 else { return [] }
    let free = HealthText.bytes(space.freeBytes)
    if space.freeBytes < HealthLimits.fullBytes {
      return [Reason(.diskFull, "The disk of the recordings is full, with \(free) free: \(makeRoom(facts)).")]
    }
    guard !facts.makesRoom else { return [] }
    if let forecast = facts.forecastSeconds, forecast < HealthLimits.forecastSeconds {
      return [
        Reason(
          .diskLow,
          "At this rate the disk of the recordings is full in \(HealthText.span(forecast)), with \(free) free: "
            + "\(makeRoom(facts)).")
      ]
    }
    guard space.freeBytes < space.totalBytes / HealthLimits.lowDivisor else { return [] }
    return [
      Reason(
        .diskLow,
        "The disk of the recordings is nearly full, with \(free) of \(HealthText.bytes(space.totalBytes)) free: "
          + "\(makeRoom(facts)).")
    ]
  }

  private static func makeRoom(_ facts: HealthFacts) -> String {
    facts.makesRoom ? "what may be deleted is not enough" : "delete what is not needed"
  }

  private static func libraryReasons(_ facts: HealthFacts) -> [Reason] {
    let library = facts.library
    var reasons: [Reason] = []
    let busySeconds = library.busyNanoseconds / 1_000_000_000
    if library.isFolderMissing {
      reasons.append(
        Reason(
          .folderMissing,
          library.isFolderDenied
            ? "The recordings folder cannot be read by the server: check owner and mode of it, and of the folders above."
            : "The recordings folder is not there: mount its disk, or make the folder again."))
    } else if library.awayCount > 0 {
      reasons.append(
        facts.recordingCount == 0
          ? Reason(.mountLost, "The disk of the recordings folder is not mounted: mount it again.")
          : Reason(.recordingsAway, "Some recordings lie on a disk that is not mounted: mount it again."))
    }
    if busySeconds > HealthLimits.stuckSeconds {
      reasons.append(
        Reason(
          .libraryStuck,
          "New recordings have not been looked at for \(HealthText.span(busySeconds)): the disk is slow or hangs "
            + "(journalctl -k)."))
    }
    if library.isStateTemporary {
      reasons.append(
        Reason(
          .stateUnwritable,
          "The state folder cannot be used, and what is kept there lies in a temporary one until the next start: check "
            + "its owner and its disk."))
    } else if library.unstoredCount > 0 {
      reasons.append(
        Reason(
          .stateUnwritable,
          "The state folder cannot be written, so that some recordings start slowly: check its disk for room."))
    }
    if library.isCatalogUnwritable {
      reasons.append(
        Reason(
          .catalogUnwritable,
          "The catalog cannot be written, so that the next start has to read recordings anew: check the state folder's "
            + "disk for room."))
    }
    if library.hasScanned, !library.isFolderMissing, !library.isWatched {
      reasons.append(
        Reason(
          .unwatched,
          "Not all folders can be watched, so that new recordings come seconds later: raise "
            + "fs.inotify.max_user_watches."))
    }
    return reasons
  }

  private static func refusedReasons(_ refusals: [LibraryStatistics.Refusal]) -> [Reason] {
    guard !refusals.isEmpty else { return [] }
    let named = refusals.prefix(HealthLimits.namedRefusals).map(\.path).joined(separator: ", ")
    return [
      Reason(
        .refusedLately,
        "\(HealthText.recordings(refusals.count)) of the last day cannot be played "
          + "(\(named)\(refusals.count > HealthLimits.namedRefusals ? ", …" : "")): footage list --state refused says "
          + "why.")
    ]
  }

  private static func lateReasons(_ cameras: [CameraSilence.Late]) -> [Reason] {
    cameras.prefix(HealthLimits.namedCameras).map { late in
      let name = late.camera.map { "Camera \($0)" } ?? "What has no camera"
      return Reason(
        .cameraLate,
        "\(name) has recorded nothing for \(HealthText.span(late.seconds)), while others do: look at it and its "
          + "recorder.", camera: late.camera)
    }
  }

  /// Returns the reasons about the machine, independent of what it serves.
  ///
  /// - Parameters:
  ///   - end: the expiry of the server's certificate; nil if it is unknown.
  ///   - failure: the reason why the certificates on the disk cannot be used; nil if they can.
  ///   - built: the time when this program was built.
  static func machineReasons(
    certificateEnd end: UnixTimestamp?, certificateFailure failure: String?, now: UnixTimestamp, built: UnixTimestamp
  ) -> [Reason] {
    var reasons: [Reason] = []
    if now < built {
      reasons.append(
        Reason(
          .clockNotSet,
          "The clock shows \(CivilTime(unixSeconds: now.seconds).rfc3339), before this program was made: let it "
            + "be set (timedatectl), or recordings get wrong times."))
    }
    if let failure {
      reasons.append(
        Reason(
          .certificatesUnusable, "The certificates that lie there now cannot be used, and those in use stay: \(failure)"
        ))
    }
    // Dates cannot be judged by a clock that is not set.
    guard let end, now >= built else { return reasons }
    let days = (end.seconds - now.seconds) / 86_400
    if end <= now {
      reasons.append(
        Reason(
          .certificateExpired,
          "The server's certificate has expired, and clients that check dates refuse it: renew it (gen-certs.sh keeps "
            + "its key)."))
    } else if days < HealthLimits.certificateDays {
      reasons.append(
        Reason(
          .certificateExpiring,
          "The server's certificate ends in \(HealthText.span(end.seconds - now.seconds)): renew it "
            + "(gen-certs.sh keeps its key)."))
    }
    return reasons
  }
}

extension [HealthReport.Reason] {
  /// Returns reasons about the robot as a whole in the form that a viewer may see.
  ///
  /// - Parameter cameras: the cameras that the viewer may see.
  func told(to cameras: CameraSelection) -> [HealthReport.Reason] {
    guard !cameras.isEverything else { return self }
    // Each reason appears once, because the number of times would reveal something about it.
    var told: [HealthReport.Reason] = []
    for reason in map({ HealthReport.Reason(withholding: $0) }) where !told.contains(reason) { told.append(reason) }
    return told
  }
}

extension HealthReport.Reason {
  /// Creates a copy of a reason with only its code.
  fileprivate init(withholding reason: HealthReport.Reason) {
    self = reason
    text = "\(reason.code): those who may see all cameras are told more."
    camera = nil
  }
}
