/// Where a download's bytes come from: what the cache has of its beginning, and for the rest the robot, which is asked
/// again for as long as its policy says.
///
/// It is its own stream: one range is read at a time.
actor DownloadSource: RangeSource, RangeStream {
  private let requests: RobotRequests
  private let subject: FetchSubject
  private var fetch: RangeFetch
  private var cached: Download.Cached?
  /// What is still to come of the range that was opened last.
  private var wanted: Range<UInt64> = 0..<0
  private var version: RecordingVersion?
  /// What the robot has instead.
  private var replacement: RecordingVersion?
  private var failure: FetchFailure?
  /// All of this is here, and the robot lists it: nothing has to be asked for.
  private var confirmed: RecordingVersion?

  /// - Parameters:
  ///   - here: what is there before anything is asked for.
  ///   - tag: of the version that the robot lists; nil where it has not said.
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

  /// Waits for the robot to say which version it has: what comes then is of that.
  ///
  /// - Returns: also whether it takes the place of the version that was asked for.
  func answer() async throws(RobotError) -> (version: RecordingVersion, isAnother: Bool) {
    failure = nil
    if let confirmed { return (confirmed, false) }
    if replacement == nil, case .version(let version)? = try await step() { return (version, false) }
    defer { replacement = nil }
    guard let replacement else { throw .malformed("\(subject.name) came without a version") }
    return (replacement, true)
  }

  /// Takes what is left of an answer of which nothing but its version is wanted.
  ///
  /// - Returns: false where the robot has another version after all.
  func finishAnswer() async throws(RobotError) -> Bool {
    guard confirmed == nil else { return true }
    while try await step() != nil { if replacement != nil { return false } }
    return true
  }

  /// From where on what came is void if the last answer turned out to be a lie; nil where nothing of that came.
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

  // MARK: As a source

  func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    // Whoever has given up is not asked again.
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
      // It was tried again as often as it makes sense, and a lie is no answer that broke off.
      if case .shortBody = error { failure = .final(error) } else { failure = FetchFailure(error) }
      self.failure = failure
      throw failure
    }
  }

  private func bytes() async throws(RobotError) -> [UInt8]? {
    if let cached, wanted.lowerBound < cached.end {
      if let bytes = try? await cached.reader.read(at: wanted.lowerBound, count: 1 << 18) { return bytes }
      // It is damaged there.
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
