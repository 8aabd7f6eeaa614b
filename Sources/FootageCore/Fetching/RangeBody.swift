internal import Synchronization

/// The requested bytes of one answer, in order. The stream ends exactly after the last of them, or throws.
final class RangeBody: RangeStream {
  private let response: MediaResponse
  private let name: String
  private let range: Range<UInt64>
  /// The offset of the next byte.
  private let position: Mutex<UInt64>

  /// - Parameter range: the requested bytes of the recording. The body begins with them.
  init(_ response: MediaResponse, of name: String, _ range: Range<UInt64>) {
    self.response = response
    self.name = name
    self.range = range
    position = Mutex(range.lowerBound)
  }

  /// Returns the next bytes, and waits for them.
  ///
  /// - Returns: at least one byte; nil after the last one of the range.
  /// - Throws: `RobotError`: `.shortBody` if the answer ends early as if it were complete; `.malformed` if a part has
  ///   more bytes than it declared. In both cases the bytes of the response are void.
  func bytes() async throws(RobotError) -> [UInt8]? {
    let position = position.withLock { $0 }
    guard position < range.upperBound else {
      try await expectEnd()
      return nil
    }
    let received: [UInt8]?
    do throws(TransportFailure) { received = try await response.body.next() } catch { throw RobotError(error) }
    guard var bytes = received else {
      throw .shortBody(
        name: name, received: position - range.lowerBound, expected: range.upperBound - range.lowerBound)
    }
    let missing = range.upperBound - position
    if UInt64(bytes.count) > missing {
      // The whole recording may go on after the range; a part may not.
      guard response.status == 200 else { throw excess }
      bytes.removeLast(bytes.count - Int(missing))
    }
    self.position.withLock { $0 += UInt64(bytes.count) }
    return bytes
  }

  /// Checks that an answer without a declared length ends where its range does.
  private func expectEnd() async throws(RobotError) {
    guard response.status == 206, response.contentLength == nil else { return }
    do throws(TransportFailure) {
      guard try await response.body.next() == nil else { throw .final("") }
    } catch .passing {
      // All of the range is here, so any further bytes are not missed.
    } catch .final { throw excess } catch { throw RobotError(error) }
  }

  private var excess: RobotError { .malformed("\(name): the answer has more bytes than the requested range") }

  func next() async throws(FetchFailure) -> [UInt8]? {
    do throws(RobotError) { return try await bytes() } catch { throw FetchFailure(error) }
  }
}
