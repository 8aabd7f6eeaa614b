/// The source of a download's bytes: the cache for the first bytes, as far as it has them, and the robot for the rest.
/// After a failure, the robot is asked again for as long as the retry policy allows.
///
/// The source is its own stream, so one range is read at a time.
actor DownloadSource: RangeSource, RangeStream {
  private let requests: RobotRequests
  private let subject: FetchSubject
  private var fetch: RangeFetch
  private var cached: Download.Cached?
  /// The rest of the range that was opened last.
  private var wanted: Range<UInt64> = 0..<0
  private var version: RecordingVersion?
  /// The version that replaced the requested one on the robot.
  private var replacement: RecordingVersion?
  private var failure: FetchFailure?
  /// The version in the robot's list, if it is complete on this device; nil if the robot must be asked for bytes.
  private var confirmed: RecordingVersion?

  /// - Parameters:
  ///   - here: the parts of the version that are on this device before the first request.
  ///   - tag: the tag of the version that the robot lists; nil if it is not known from a list.
  init(
    _ requests: RobotRequests, _ subject: FetchSubject, beside here: Download.Here?, listedAs tag: String?
  ) {
    self.requests = requests
    self.subject = subject
    cached = here?.cached
    if let here, here.missing == nil, here.version.tag == tag { confirmed = here.version }
    fetch = Self.fetch(requests, subject, here?.question ?? 0..<UInt64.max, of: here?.version, listedAs: tag)
  }

  private static func fetch(
    _ requests: RobotRequests, _ subject: FetchSubject, _ range: Range<UInt64>, of version: RecordingVersion?,
    listedAs tag: String? = nil
  ) -> RangeFetch {
    RangeFetch(
      requests, subject, range, version: version, tag: tag, replacement: .startsOver,
      waiting: requests.policy.downloads)
  }

  /// Waits until the robot has reported its version. The bytes that follow belong to that version.
  ///
  /// - Returns: the version, and whether it replaces the requested version.
  func answer() async throws(RobotError) -> (version: RecordingVersion, isAnother: Bool) {
    failure = nil
    if let confirmed { return (confirmed, false) }
    if replacement == nil, case .version(let version)? = try await step() { return (version, false) }
    defer { replacement = nil }
    guard let replacement else { throw .malformed("the answer for \(subject.name) has no version") }
    return (replacement, true)
  }

  /// Reads the rest of a response from which only the version is needed.
  ///
  /// - Returns: false if the robot turns out to have another version.
  func finishAnswer() async throws(RobotError) -> Bool {
    guard confirmed == nil else { return true }
    while try await step() != nil { if replacement != nil { return false } }
    return true
  }

  /// The offset at which the bytes of the last response begin; nil if it delivered no bytes. These bytes are void if
  /// the response turns out to be invalid.
  var lastAnswer: UInt64? { fetch.rest.lowerBound > fetch.answerStart ? fetch.answerStart : nil }

  private func step() async throws(RobotError) -> RangeFetch.Step? {
    var fetch = fetch
    defer { self.fetch = fetch }
    let step = try await fetch.next()
    if case .startedOver(let version)? = step {
      replacement = version
      cached = nil
      confirmed = nil
    }
    return step
  }

  // MARK: RangeSource

  func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    // After it has given up, the source does not ask again.
    if let failure { throw failure }
    wanted = range
    self.version = version
    return self
  }

  func next() async throws(FetchFailure) -> [UInt8]? {
    guard !wanted.isEmpty else { return nil }
    do throws(RobotError) {
      guard let bytes = try await bytes() else { return nil }
      wanted = min(wanted.lowerBound + UInt64(bytes.count), wanted.upperBound)..<wanted.upperBound
      return bytes
    } catch {
      let failure: FetchFailure
      // The fetch was retried as often as makes sense, and a false answer is not one that broke off.
      if case .shortBody = error { failure = .final(error) } else { failure = FetchFailure(error) }
      self.failure = failure
      throw failure
    }
  }

  private func bytes() async throws(RobotError) -> [UInt8]? {
    if let cached, wanted.lowerBound < cached.end {
      if let bytes = try? await cached.reader.read(at: wanted.lowerBound, count: 1 << 18) { return bytes }
      // The cached copy is damaged there.
      self.cached = nil
    }
    if fetch.rest.lowerBound != wanted.lowerBound || fetch.rest.isEmpty {
      let isLast = wanted.upperBound == version?.length
      fetch = Self.fetch(requests, subject, wanted.lowerBound..<(isLast ? .max : wanted.upperBound), of: version)
    }
    while let step = try await step() {
      switch step {
      case .bytes(let bytes): return bytes
      case .version: continue
      case .startedOver: throw .replaced(name: subject.name)
      }
    }
    return nil
  }
}
