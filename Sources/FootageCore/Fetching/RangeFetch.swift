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
  private let name: String
  private let replacement: Replacement
  private let boundTag: String?
  /// Still to come; `UInt64.max` as its end is the recording's.
  private(set) var rest: Range<UInt64>
  private(set) var version: RecordingVersion?
  private var hasToldVersion = false
  private var running: MediaResponse?
  private var tries: Tries
  /// Up to where bytes of the version have ever come. Only what lies behind it is progress: a server that knows no
  /// ranges and always breaks off would otherwise be asked for the same bytes for ever.
  private var furthest: UInt64

  /// Where the running answer began: what came since is void if the answer turns out to be a lie.
  private(set) var answerStart: UInt64
  /// Up to where the caller has put what it got; for the caller alone.
  var written: UInt64

  /// - Parameters:
  ///   - range: not empty; `UInt64.max` as its end is the recording's.
  ///   - version: of which the bytes before the range are, or nil.
  ///   - tag: the version that is wanted, or nil for any.
  ///   - waiting: how long a robot that is away is waited for; nil for as often as the policy tries.
  init(
    _ requests: RobotRequests, _ name: String, _ range: Range<UInt64>, version: RecordingVersion? = nil,
    tag: String? = nil, replacement: Replacement, waiting: RetryPolicy.Waiting? = nil
  ) {
    self.requests = requests
    self.name = name
    self.rest = range
    self.version = version
    self.boundTag = tag
    self.replacement = replacement
    answerStart = range.lowerBound
    written = range.lowerBound
    furthest = range.lowerBound
    tries = Tries(requests.policy, waiting: waiting)
  }

  /// Waits for what comes next; nil at the end of the range.
  mutating func next() async throws(RobotError) -> Step? {
    // Nothing was asked for; a request cannot say so.
    guard running != nil || !rest.isEmpty else { return nil }
    while true {
      if let version, !hasToldVersion, running != nil {
        hasToldVersion = true
        return .version(version)
      }
      if running != nil, rest.isEmpty {
        try await end()
        return nil
      }
      do throws(RobotRequests.Attempt) {
        if let running {
          let bytes = try await nextBytes(of: running)
          if rest.lowerBound > furthest {
            furthest = rest.lowerBound
            tries.progress()
          }
          return .bytes(bytes)
        }
        if try await begin(), let version { return .startedOver(version) }
      } catch {
        let hasAnswered = running != nil
        running = nil
        guard let next = tries.next(after: error, hasAnswered: hasAnswered, at: .now) else { throw error.error }
        try await requests.pause(next)
      }
    }
  }

  /// Sends the next request.
  ///
  /// - Returns: whether everything starts over with its answer.
  private mutating func begin() async throws(RobotRequests.Attempt) -> Bool {
    answerStart = rest.lowerBound
    let question = RangeRequest(name: name, range: rest, version: version, boundTag: boundTag)
    var request = question.request
    // A robot that is away is told of soon.
    request.connectionTimeout = requests.patience.reaching
    let response = try await requests.attempt(request, name: name, accepting: [200, 206])
    if let event = tries.answered(at: .now) { requests.onEvent(event) }
    do throws(RobotError) {
      var startsOver = false
      switch try RangeResponse(response, to: question) {
      case .part(let range, let served):
        rest = range
        version = served
      case .whole(let served):
        startsOver = try accept(whole: served, question)
      }
      // Where the answer starts over, that is at byte 0.
      answerStart = rest.lowerBound
      running = response
      return startsOver
    } catch {
      throw RobotRequests.Attempt(error)
    }
  }

  /// - Returns: whether bytes that were delivered are void.
  private mutating func accept(whole served: RecordingVersion, _ question: RangeRequest) throws(RobotError) -> Bool {
    let isSame = question.tag.map { $0 == served.tag } ?? true
    if rest.lowerBound == 0, isSame {
      rest = rest.clamped(to: 0..<served.length)
      version = served
      return false
    }
    guard replacement == .startsOver else {
      throw isSame
        ? .malformed("\(name): the whole was sent, and a part from byte \(rest.lowerBound) on was asked for")
        : .replaced(name)
    }
    rest = 0..<served.length
    if version?.tag != served.tag { furthest = 0 }
    version = served
    hasToldVersion = true
    return true
  }

  private mutating func nextBytes(of response: MediaResponse) async throws(RobotRequests.Attempt) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(TransportFailure) { bytes = try await response.body.next() } catch {
      throw RobotRequests.Attempt(RobotError(error))
    }
    guard let bytes else {
      throw RobotRequests.Attempt(
        .shortBody(name, received: rest.lowerBound - answerStart, expected: rest.upperBound - answerStart))
    }
    let isWhole = response.status == 200
    guard UInt64(bytes.count) <= UInt64(rest.count) || isWhole else {
      throw RobotRequests.Attempt(.malformed("\(name): more bytes were sent than the range has"))
    }
    // Of the whole, which nobody asked for, only the range is taken.
    let taken = UInt64(bytes.count) <= UInt64(rest.count) ? bytes : Array(bytes.prefix(rest.count))
    rest = (rest.lowerBound + UInt64(taken.count))..<rest.upperBound
    return taken
  }

  /// An answer whose length was not told beforehand has to end where it said.
  private mutating func end() async throws(RobotError) {
    guard let response = running, response.status == 206, response.contentLength == nil else { return }
    do throws(TransportFailure) {
      guard try await response.body.next() == nil else {
        throw .final("\(name): more bytes were sent than the range has")
      }
    } catch .passing {
      // All of the range is here; whatever else was to come is not missed.
    } catch {
      throw RobotError(error)
    }
  }
}
