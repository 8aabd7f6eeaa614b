internal import FootageBase
internal import FootageSystem

/// A download from its beginning to its end, which continues where an earlier run stopped. The version is fetched in
/// the same way as one that is played, but stored in a file that the user has named.
struct Download: Sendable {
  private let requests: RobotRequests
  private let subject: FetchSubject
  private let path: String
  /// The recording as the cache has it; nil if the cache has nothing of it.
  private let cached: Playback?
  private let onProgress: @Sendable (DownloadProgress) -> Void

  init(
    _ requests: RobotRequests, _ subject: FetchSubject, to path: String, cached: Playback? = nil,
    _ onProgress: @escaping @Sendable (DownloadProgress) -> Void
  ) {
    self.requests = requests
    self.subject = subject
    self.path = path
    self.cached = cached
    self.onProgress = onProgress
  }

  /// The first bytes of a version, in the cache.
  struct Cached: Sendable {
    let reader: PlaybackReader
    let end: UInt64
  }

  /// The parts of a version that are on this device before the robot is asked.
  struct Here: Sendable {
    let version: RecordingVersion
    /// The ranges of the partial file that are intact.
    var kept: [ChecksummedRange] = []
    var cached: Cached?
    /// True if the finished file exists already, with all bytes of the version.
    var isFinished = false

    /// The first range that must be fetched from the robot; nil if nothing is missing.
    var missing: Range<UInt64>? {
      guard !isFinished else { return nil }
      let here = RangeSet(kept.map(\.range) + [0..<(cached?.end ?? 0)])
      return here.gaps(in: 0..<version.length).first
    }

    /// The range that the robot is asked for first. If nothing is missing, it is the last byte, so that the answer says
    /// whether the robot still has this version.
    var question: Range<UInt64> {
      let range = missing ?? max(version.length, 1) - 1..<version.length
      return range.upperBound == version.length ? range.lowerBound..<UInt64.max : range
    }
  }

  func run() async throws(RobotError) -> DownloadedRecording {
    let file = try PartialFile(subject.id, to: path)
    var here = try await found(in: file)
    let listed: String?
    do throws(RobotError) { listed = try await listedTag() } catch {
      try? await file.leave()
      throw error
    }
    // A cache may serve a version under its own URL long after the robot has another one.
    if let listed, here?.version.tag != listed { here = nil }
    // If everything is missing, the request is not bound to a version that is here.
    if here?.question == 0..<UInt64.max { here = nil }
    let source = DownloadSource(requests, subject, beside: here, listedAs: listed)
    do throws(RobotError) {
      while true {
        let (version, isAnother) = try await source.answer()
        let known = isAnother ? Here(version: version) : here ?? Here(version: version)
        here = known
        if known.missing == nil, try await !source.finishAnswer() { continue }
        if known.isFinished {
          try await file.leave()
          onProgress(DownloadProgress(version.length, of: version.length, bytesPerSecond: 0))
        } else {
          if known.kept.isEmpty { try await file.begin(version) }
          guard try await transfer(known, from: source, into: file) else { continue }
          try await file.finish()
        }
        return DownloadedRecording(
          name: subject.name, entityTag: version.tag, length: version.length, wasThere: known.isFinished)
      }
    } catch {
      // An answer that turned out to be false is void from its first byte on; one that broke off is not.
      let isVoid =
        switch error {
        case .shortBody, .malformed, .unexpected: true
        default: false
        }
      // Keeping the partial file is optional; the original error is what counts.
      try? await file.leave(upTo: isVoid ? source.lastAnswer : nil)
      throw error
    }
  }

  /// Returns the tag of the recording's version in the robot's list, if the robot serves each version at a URL of its
  /// own. A cache between the robot and this client may hold an older version under that URL, so the list is asked
  /// first.
  ///
  /// - Returns: nil if the list has no such tag or cannot be fetched now. The response to the first request for bytes
  ///   then has the tag.
  /// - Throws: `RobotError` if no further request can succeed.
  private func listedTag() async throws(RobotError) -> String? {
    guard subject.isRecording else { return nil }
    do throws(RobotError) {
      let recording = try await requests.once.recording(subject.name)
      return recording.hasVersionedURL ? recording.entityTag : nil
    } catch {
      switch error {
      case .trust, .identity, .notAllowed, .system, .cancelled: throw error
      default: return nil
      }
    }
  }

  private func found(in file: PartialFile) async throws(RobotError) -> Here? {
    // No file has to be created if nothing may have to be fetched.
    if !(await file.isBegun()), let version = await file.finishedVersion() {
      return Here(version: version, isFinished: true)
    }
    if let earlier = try await file.open() { return Here(version: earlier.version, kept: earlier.kept) }
    if let version = await file.finishedVersion() { return Here(version: version, isFinished: true) }
    guard let cached, let end = cached.state.cachedBytes.first(where: { $0.lowerBound == 0 })?.upperBound,
      let reader = try? cached.reader(of: 0..<end, for: .preload)
    else { return nil }
    return Here(version: cached.version, cached: Cached(reader: reader, end: end))
  }

  /// Fetches the missing bytes.
  ///
  /// - Returns: false if the robot has another version now. The source then delivers that version from its beginning.
  private func transfer(
    _ here: Here, from source: DownloadSource, into file: PartialFile
  ) async throws(RobotError) -> Bool {
    let length = here.version.length
    let version = CachedVersion(
      RecordingKey(robot: "", name: subject.id), here.version, place: try await file.place(), problem: nil,
      fragments: here.kept, checksums: try await file.checksums(), source: source, store: file, disk: file.disk,
      syncer: file.syncer, limits: .download, clock: requests.clock)
    version.hold()
    let report = DownloadReport(of: version, onProgress)
    let reader = version.addReader(.preload, 0..<length)
    let outcome = await version.outcome(of: reader, durably: true)
    version.removeReader(reader)
    await version.finishStoring()
    await report.end()
    version.release()
    switch outcome {
    case .done: return true
    case .fail(.replaced(.replaced)): return false
    case .fail(let failure): throw failure.error
    case .noRoom(let reason): throw .file(reason)
    case .wait: throw .cancelled
    }
  }
}

extension MediaCacheLimits {
  /// The limits of a download. One request asks for everything that is missing, so that the robot's other connections
  /// stay free for players. The `DownloadSource` decides how long to wait for the robot.
  fileprivate static let download: MediaCacheLimits = {
    var limits = MediaCacheLimits()
    limits.fetches = 1
    limits.firstPieceBytes = .max
    limits.leastPieceBytes = .max
    limits.requestBytes = .max
    limits.runningOut = 0
    limits.fetchIdle = .seconds(1 << 40)
    limits.giveUp = .zero
    // If the process is killed on a slow connection, it loses seconds, not minutes.
    limits.commitBytes = 64 << 20
    limits.commitDelay = .seconds(2)
    limits.fragmentBytes = .max
    limits.checksumBytes = PartialFileMap.blockBytes
    return limits
  }()
}
