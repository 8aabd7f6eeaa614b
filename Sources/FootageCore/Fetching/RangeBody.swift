internal import Synchronization

/// The bytes of one answer, in order, as far as they were asked for: no byte more, and no end before the last one.
final class RangeBody: RangeStream {
  private let response: MediaResponse
  private let name: String
  private let range: Range<UInt64>
  /// Of the next byte.
  private let position: Mutex<UInt64>

  /// - Parameter range: which bytes of the recording are asked for, with which the body begins.
  init(_ response: MediaResponse, of name: String, _ range: Range<UInt64>) {
    self.response = response
    self.name = name
    self.range = range
    position = Mutex(range.lowerBound)
  }

  /// Waits for the next bytes.
  ///
  /// - Returns: at least one byte; nil after the last one of the range.
  /// - Throws: `RobotError`: `.shortBody` where the answer ends as if it were whole, and is not; `.malformed` where a
  ///   part has more bytes than it said. Then what came of the answer is worth nothing.
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
      // The whole may go on behind the range; a part may not.
      guard response.status == 200 else { throw excess }
      bytes.removeLast(bytes.count - Int(missing))
    }
    self.position.withLock { $0 += UInt64(bytes.count) }
    return bytes
  }

  /// An answer whose length was not told beforehand has to end where it said.
  private func expectEnd() async throws(RobotError) {
    guard response.status == 206, response.contentLength == nil else { return }
    do throws(TransportFailure) {
      guard try await response.body.next() == nil else { throw .final("") }
    } catch .passing {
      // All of the range is here; whatever else was to come is not missed.
    } catch .final { throw excess } catch { throw RobotError(error) }
  }

  private var excess: RobotError { .malformed("\(name): more bytes were sent than the range has") }

  func next() async throws(FetchFailure) -> [UInt8]? {
    do throws(RobotError) { return try await bytes() } catch { throw FetchFailure(error) }
  }
}
