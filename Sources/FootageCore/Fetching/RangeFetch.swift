internal import FootageSystem

/// The bytes of a range of one version of a recording, in order, over as many requests as it takes.
struct RangeFetch: Sendable {
  enum Step: Hashable, Sendable {
    /// What is being fetched; comes once before the first bytes.
    case version(RecordingVersion)
    /// At least one byte, in order.
    case bytes([UInt8])
    /// All bytes until now are void, since the recording is another one: what follows begins at byte 0.
    case startedOver(RecordingVersion)
  }

  /// What becomes of a recording that was replaced.
  enum Replacement: Hashable, Sendable { case fails, startsOver }

  private let requests: RobotRequests
  private let subject: FetchSubject
  private let replacement: Replacement
  private var boundTag: String?
  /// Still to come; `UInt64.max` as its end is the recording's.
  private(set) var rest: Range<UInt64>
  private(set) var version: RecordingVersion?
  /// The tag of the version that the robot has no more, while it is asked for whatever it has instead.
  private var abandonedTag: String?
  private var hasToldVersion = false
  private var running: RangeBody?
  private var schedule: RetrySchedule
  /// Up to where bytes of the version have ever come. Only what lies behind it is progress: a server that knows no
  /// ranges and always breaks off would otherwise be asked for the same bytes for ever.
  private var furthest: UInt64

  /// Where the running answer began: what came since is void if the answer turns out to be a lie.
  private(set) var answerStart: UInt64

  /// - Parameters:
  ///   - range: not empty; `UInt64.max` as its end is the recording's.
  ///   - version: of which the bytes before the range are, or nil.
  ///   - tag: the version that is wanted, or nil for any.
  ///   - waiting: how long a robot that is away is waited for; nil for as often as the policy tries.
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

  /// Waits for what comes next; nil at the end of the range.
  mutating func next() async throws(RobotError) -> Step? {
    // Nothing was asked for; a request cannot say so.
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
  /// - Returns: whether everything starts over with its answer.
  private mutating func begin() async throws(RobotRequests.Attempt) -> Bool {
    answerStart = rest.lowerBound
    let question = RangeRequest(subject: subject, range: rest, version: version, boundTag: boundTag)
    // A robot that is away is told of soon.
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
      // Where the answer starts over, that is at byte 0.
      answerStart = rest.lowerBound
      running = RangeBody(response, of: subject.name, rest)
      return startsOver
    } catch {
      throw RobotRequests.Attempt(error)
    }
  }

  /// The robot has another version by now, which it does not say: all of whatever it is is asked for next.
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
