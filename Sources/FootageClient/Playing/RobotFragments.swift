/// A robot as the cache sees it: ranges of versions, one request each, never tried again here.

struct RobotFragments: FragmentSource {
  let requests: RobotRequests

  func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any FragmentStream {
    let question = RangeQuestion(name: key.name, range: range, version: version, boundTag: nil)
    let response: MediaResponse
    do throws(RobotRequests.Attempt) {
      response = try await requests.attempt(question.request, name: key.name, accepting: [200, 206])
    } catch { throw FetchFailure(error.error) }
    do throws(RobotError) {
      switch try RangeAnswer(response, to: question) {
      case .part: break
      case .whole(let served):
        guard served == version else { throw .replaced(key.name) }
        guard range.lowerBound == 0 else {
          throw .malformed("\(key.name): the whole was sent, and a part from byte \(range.lowerBound) on was asked for")
        }
      }
    } catch { throw FetchFailure(error) }
    // A seek must not wait for a handshake.
    Task { [transport = requests.transport] in await transport.prepare() }
    return RobotFragmentStream(response, byteCount: range.upperBound - range.lowerBound)
  }
}

/// One answer, as far as it was asked for.
private actor RobotFragmentStream: FragmentStream {
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
