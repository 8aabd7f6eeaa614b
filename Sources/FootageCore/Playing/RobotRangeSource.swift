/// A robot as the cache sees it: ranges of versions, one request each, never tried again here.

struct RobotRangeSource: RangeSource {
  let requests: RobotRequests

  func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    try await open(range, of: key, version, isOnNewConnection: false)
  }

  func openAnew(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    try await open(range, of: key, version, isOnNewConnection: true)
  }

  /// Asks for the first bytes of a recording of which nothing is known: what answers says which version it is.
  ///
  /// - Throws: `RobotError`, after the retries.
  func beginning(
    of name: String, byteCount: UInt64
  ) async throws(RobotError) -> (RecordingVersion, PrimedRangeSource) {
    let question = RangeRequest(name: name, range: 0..<byteCount, version: nil, boundTag: nil)
    prepare(after: .zero)
    let (response, range, version) = try await requests.answered(
      question.request, name: name, accepting: [200, 206]
    ) { (response: MediaResponse) async throws(RobotError) in
      let (range, version) = try Self.range(of: response, to: question)
      return (response, range, version)
    }
    guard version.isBindable else { throw .malformed("\(name) has the etag \(version.tag), which is not a strong one") }
    prepare(after: .zero)
    let stream = RobotRangeStream(response, byteCount: range.upperBound)
    return (version, PrimedRangeSource(self, stream, range, for: Self.patience))
  }

  /// How long the first bytes wait for a player. They have a connection meanwhile, of which there are few.
  private static let patience = Duration.seconds(10)

  private func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion, isOnNewConnection: Bool
  ) async throws(FetchFailure) -> any RangeStream {
    let question = RangeRequest(name: key.name, range: range, version: version, boundTag: nil)
    var request = question.request
    request.isOnNewConnection = isOnNewConnection
    let start = ContinuousClock.now
    let response: MediaResponse
    do throws(RobotRequests.Attempt) {
      response = try await requests.attempt(request, name: key.name, accepting: [200, 206])
    } catch { throw FetchFailure(error.error) }
    do throws(RobotError) {
      guard try Self.range(of: response, to: question).1 == version else { throw .replaced(key.name) }
    } catch { throw FetchFailure(error) }
    prepare(after: start.duration(to: .now) * 4)
    return RobotRangeStream(response, byteCount: range.upperBound - range.lowerBound)
  }

  /// The range that the answer brings, of which version.
  private static func range(
    of response: MediaResponse, to question: RangeRequest
  ) throws(RobotError) -> (Range<UInt64>, RecordingVersion) {
    switch try RangeResponse(response, to: question) {
    case .part(let range, let version): return (range, version)
    case .whole(let version):
      guard question.version.map({ $0 == version }) ?? true else { throw .replaced(question.name) }
      guard question.range.lowerBound == 0 else {
        throw .malformed(
          "\(question.name): the whole was sent, and a part from byte \(question.range.lowerBound) on was asked for")
      }
      return (question.range.clamped(to: 0..<version.length), version)
    }
  }

  /// A seek must not wait for a handshake: one connection is to be there that has nothing to do. Those that still bring
  /// what was asked for before are free a few round trips later.
  private func prepare(after pause: Duration) {
    Task { [transport = requests.transport] in
      try? await Task.sleep(for: min(pause, .seconds(2)))
      await transport.prepare()
    }
  }
}

/// One answer, as far as it was asked for.
private actor RobotRangeStream: RangeStream {
  private let response: MediaResponse
  /// Still to come.
  private var byteCount: UInt64

  init(_ response: MediaResponse, byteCount: UInt64) {
    self.response = response
    self.byteCount = byteCount
  }

  func next() async throws(FetchFailure) -> [UInt8]? {
    guard byteCount > 0 else { return nil }
    let bytes: [UInt8]?
    do throws(TransportFailure) { bytes = try await response.body.next() } catch {
      throw FetchFailure(RobotError(error))
    }
    guard var bytes else { throw .passing(.endedEarly) }
    if UInt64(bytes.count) > byteCount {
      // The whole may go on behind the range; a part may not.
      guard response.status == 200 else { throw .final(.malformed("it sent more bytes than the range has")) }
      bytes.removeLast(bytes.count - Int(byteCount))
    }
    byteCount -= UInt64(bytes.count)
    return bytes
  }
}

extension FetchFailure {
  init(_ error: RobotError) {
    switch error {
    case .unreachable, .unavailable, .cancelled: self = .passing(error)
    case .notFound, .replaced, .outOfRange: self = .replaced(error)
    default: self = .final(error)
    }
  }
}
