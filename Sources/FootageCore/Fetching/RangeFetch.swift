internal import FootageSystem

/// The bytes of a range of one version of a recording, in order, over as many requests as it takes.
struct RangeFetch: Sendable {
  enum Step: Hashable, Sendable {
    /// The version that is being fetched. This step is returned once, before the first bytes.
    case version(RecordingVersion)
    /// At least one byte. The bytes follow those of the previous step.
    case bytes([UInt8])
    /// The recording was replaced, so all bytes until now are void. The bytes that follow begin at byte 0 of this
    /// version.
    case startedOver(RecordingVersion)
  }

  /// The reaction to a recording that was replaced.
  enum Replacement: Hashable, Sendable { case fails, startsOver }

  private let requests: RobotRequests
  private let subject: FetchSubject
  private let replacement: Replacement
  private var boundTag: String?
  /// The range that has not arrived yet. The end `UInt64.max` stands for the end of the recording.
  private(set) var rest: Range<UInt64>
  private(set) var version: RecordingVersion?
  /// The tag of the version that the robot no longer has, while the fetch asks for the version that replaced it.
  private var abandonedTag: String?
  private var hasToldVersion = false
  private var running: RangeBody?
  private var schedule: RetrySchedule
  /// The offset up to which bytes of the version have ever arrived. Only bytes beyond it count as progress. Otherwise a
  /// server without support for ranges that always breaks off would be asked for the same bytes forever.
  private var furthest: UInt64

  /// The offset at which the current response began. The bytes since then are void if the response turns out to be
  /// invalid.
  private(set) var answerStart: UInt64

  /// - Parameters:
  ///   - range: not empty; the end `UInt64.max` stands for the end of the recording.
  ///   - version: the version that the bytes before the range belong to, or nil.
  ///   - tag: the tag of the version that is wanted, or nil for any.
  ///   - waiting: how long to wait for a robot that is away; nil to try as often as the policy says.
  init(
    _ requests: RobotRequests, _ subject: FetchSubject, _ range: Range<UInt64>, version: RecordingVersion? = nil,
    tag: String? = nil, replacement: Replacement, waiting: RetryPolicy.Waiting? = nil
  ) {
    self.requests = requests
    self.subject = subject
    self.rest = range
    self.version = version
    self.boundTag = tag
    self.replacement = replacement
    answerStart = range.lowerBound
    furthest = range.lowerBound
    schedule = RetrySchedule(requests.policy, waiting: waiting)
  }

  /// Returns the next step, and waits for it; nil at the end of the range.
  mutating func next() async throws(RobotError) -> Step? {
    // A request cannot ask for an empty range.
    guard running != nil || !rest.isEmpty else { return nil }
    while true {
      do throws(RobotRequests.Attempt) {
        if let running {
          if let version, !hasToldVersion {
            hasToldVersion = true
            return .version(version)
          }
          guard let bytes = try await Self.bytes(of: running) else { return nil }
          rest = (rest.lowerBound + UInt64(bytes.count))..<rest.upperBound
          if rest.lowerBound > furthest {
            furthest = rest.lowerBound
            schedule.progress()
          }
          return .bytes(bytes)
        }
        if try await begin(), let version { return .startedOver(version) }
      } catch {
        let hasAnswered = running != nil
        running = nil
        if case .replaced = error.error, replacement == .startsOver, abandonedTag == nil {
          abandon()
          continue
        }
        guard let next = schedule.next(after: error, hasAnswered: hasAnswered, at: requests.clock.uptime) else {
          throw error.error
        }
        try await requests.pause(next)
      }
    }
  }

  /// Sends the next request.
  ///
  /// - Returns: true if the answer makes the fetch start over at byte 0.
  private mutating func begin() async throws(RobotRequests.Attempt) -> Bool {
    answerStart = rest.lowerBound
    let question = RangeRequest(subject: subject, range: rest, version: version, boundTag: boundTag)
    // The short limit reports soon that a robot is away.
    let response = try await requests.attempt(question, connectingWithin: requests.patience.reaching)
    if let event = schedule.answered(at: requests.clock.uptime) { requests.onEvent(event) }
    do throws(RobotError) {
      let answer = try RangeResponse(response, to: question)
      if case .whole(let served) = answer, replacement == .fails { throw question.error(for: served) }
      let startsOver: Bool
      switch answer {
      case .part(let range, let served) where abandonedTag == nil:
        rest = range
        version = served
        startsOver = false
      case .part(_, let served), .whole(let served):
        rest = 0..<served.length
        if abandonedTag ?? version?.tag != served.tag { furthest = 0 }
        version = served
        abandonedTag = nil
        hasToldVersion = true
        startsOver = true
      }
      // If the answer starts over, this is byte 0.
      answerStart = rest.lowerBound
      running = RangeBody(response, of: subject.name, rest)
      return startsOver
    } catch {
      throw RobotRequests.Attempt(error)
    }
  }

  /// Prepares to request all of the robot's current version, which differs from the requested one, and whose tag is not
  /// known yet.
  private mutating func abandon() {
    abandonedTag = version?.tag ?? boundTag
    version = nil
    boundTag = nil
    rest = 0..<UInt64.max
  }

  private static func bytes(of body: RangeBody) async throws(RobotRequests.Attempt) -> [UInt8]? {
    do throws(RobotError) { return try await body.bytes() } catch { throw RobotRequests.Attempt(error) }
  }
}
