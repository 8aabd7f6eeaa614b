internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageLibrary
internal import FootageSystem

extension HealthReport {
  /// Creates the report that follows from the facts. It depends on nothing else.
  ///
  /// A viewer who may not see all cameras gets full sentences only about their own cameras. For reasons about the whole
  /// robot, they get only the codes, because the sentences may name or count recordings of other cameras, or reveal
  /// their times.
  ///
  /// - Parameters:
  ///   - cameras: the cameras that the viewer may see. The report does not mention other cameras.
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
    if let sentence = facts.library.foreign.sentence { reasons.append(Reason(.foreignFiles, sentence)) }
    reasons += machineReasons(
      certificateEnd: facts.certificateEnd, certificateFailure: facts.certificateFailure, now: facts.now,
      built: facts.built)
    if facts.indexerRestartsOfLastHour >= HealthLimits.indexerRestarts {
      reasons.append(
        Reason(
          .indexerRestarts,
          "The process that reads recordings has ended \(facts.indexerRestartsOfLastHour) times within an hour: look for "
            + "refused recordings, and for a lack of memory (journalctl -k)."))
    }
    if let failure = facts.retentionFailure { reasons.append(Reason(.retentionFailing, HealthText.sentence(failure))) }
    if facts.isRetentionShort {
      reasons.append(
        Reason(
          .retentionShort,
          "There is less room than the rules require, and nothing may be deleted: release protected recordings, lower "
            + "--keep-at-least, or check what is not in the store yet."))
    }
    if let lost = facts.lostUnstored {
      reasons.append(
        Reason(
          .unstoredDeleted,
          "\(HealthText.recordings(Int(clamping: lost.count))) had to be deleted to make room before reaching the "
            + "store, most recently \(HealthText.span(lost.seconds)) ago: see footage offload status, or serve with "
            + "--offload-strict."))
    }
    reasons += keepReasons(facts)
    reasons += facts.offloadTroubles.map { trouble in
      var trouble = trouble
      trouble.text = HealthText.sentence(trouble.text)
      return trouble
    }
    return reasons
  }

  /// Returns the reasons about viewers who protect much. It is fast, because the library keeps a sum for each viewer.
  private static func keepReasons(_ facts: HealthFacts) -> [Reason] {
    guard let limit = facts.keepLimit else { return [] }
    return facts.library.keptShares.prefix { $0.bytes >= limit / 10 * HealthLimits.keepShareTenths }.map { share in
      Reason(
        .keepShare,
        "The viewer \"\(LogText.escaped(Array(share.viewer.utf8)[...]))\" protects \(HealthText.bytes(share.bytes)) of "
          + "the \(HealthText.bytes(limit)) that a viewer may protect (--keep-share): release recordings that are no longer "
          + "needed, so that there is room for new ones.")
    }
  }

  private static func diskReasons(_ facts: HealthFacts) -> [Reason] {
    guard facts.silentDiskSeconds <= HealthLimits.stuckSeconds else {
      return [
        Reason(
          .diskStuck,
          "The recordings' disk has not responded for \(HealthText.span(facts.silentDiskSeconds)): check it "
            + "(journalctl -k), and its cable or network.")
      ]
    }
    // If a mount is lost, the free space belongs to another disk.
    guard let space = facts.space, !facts.library.isFolderMissing, facts.library.awayCount == 0 else { return [] }
    let free = HealthText.bytes(space.freeBytes)
    if space.freeBytes < HealthLimits.fullBytes {
      return [Reason(.diskFull, "The recordings' disk is full, with \(free) free: \(makeRoom(facts)).")]
    }
    guard !facts.makesRoom else { return [] }
    if let forecast = facts.forecastSeconds, forecast < HealthLimits.forecastSeconds {
      return [
        Reason(
          .diskLow,
          "At this rate the recordings' disk will be full in \(HealthText.span(forecast)), with \(free) free now: "
            + "\(makeRoom(facts)).")
      ]
    }
    guard space.freeBytes < space.totalBytes / HealthLimits.lowDivisor else { return [] }
    return [
      Reason(
        .diskLow,
        "The recordings' disk is nearly full, with \(free) of \(HealthText.bytes(space.totalBytes)) free: "
          + "\(makeRoom(facts)).")
    ]
  }

  private static func makeRoom(_ facts: HealthFacts) -> String {
    facts.makesRoom
      ? "the recordings that may be deleted do not free enough room; release protected recordings, or lower "
        + "--keep-at-least"
      : "delete recordings that are no longer needed"
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
            ? "The server cannot read the recordings folder: check owner and mode of it and of the folders above."
            : "The recordings folder does not exist: mount its disk, or create the folder again."))
    } else if library.awayCount > 0 {
      reasons.append(
        facts.recordingCount == 0
          ? Reason(.mountLost, "The disk of the recordings folder is not mounted: mount it again.")
          : Reason(.recordingsAway, "Some recordings are on a disk that is not mounted: mount it again."))
    }
    if busySeconds > HealthLimits.stuckSeconds {
      reasons.append(
        Reason(
          .libraryStuck,
          "New recordings have not been examined for \(HealthText.span(busySeconds)): the disk is slow or hangs "
            + "(journalctl -k)."))
    }
    if library.isStateTemporary {
      reasons.append(
        Reason(
          .stateUnwritable,
          "The state folder cannot be used, so a temporary one replaces it until the next start: check its owner and "
            + "its disk."))
    } else if library.unstoredCount > 0 {
      reasons.append(
        Reason(
          .stateUnwritable,
          "The state folder cannot be written, so some recordings start slowly: check its disk for free space."))
    }
    if library.isCatalogUnwritable {
      reasons.append(
        Reason(
          .catalogUnwritable,
          "The catalog cannot be written, so the next start must read recordings again: check the state folder's disk "
            + "for free space."))
    }
    if library.hasScanned, !library.isFolderMissing, !library.isWatched {
      reasons.append(
        Reason(
          .unwatched,
          "Not all folders can be watched, so new recordings appear seconds later: raise fs.inotify.max_user_watches."))
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
          + "(\(named)\(refusals.count > HealthLimits.namedRefusals ? ", …" : "")): run footage list --state refused "
          + "to see why.")
    ]
  }

  private static func lateReasons(_ cameras: [CameraSilence.Late]) -> [Reason] {
    cameras.prefix(HealthLimits.namedCameras).map { late in
      let name = late.camera.map { "Camera \($0)" } ?? "The unnamed camera"
      return Reason(
        .cameraLate,
        "\(name) has recorded nothing for \(HealthText.span(late.seconds)), while other cameras have: check it and its "
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
          "The clock shows \(CivilTime(unixSeconds: now.seconds).rfc3339), before this program was built: set it "
            + "(timedatectl), or recordings get wrong times."))
    }
    if let failure {
      reasons.append(
        Reason(
          .certificatesUnusable, "The new certificates cannot be used, and the current ones stay in use: \(failure)."
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
          "The server's certificate expires in \(HealthText.span(end.seconds - now.seconds)): renew it "
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
    text = "\(reason.code): viewers who may see all cameras get the details."
    camera = nil
  }
}
