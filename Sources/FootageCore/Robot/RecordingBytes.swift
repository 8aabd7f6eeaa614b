/// The bytes of a range of a recording, in order, in chunks of the sizes in which they arrive.
public struct RecordingBytes: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = RobotError

  let fetch: RangeFetch

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(fetch: fetch) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private var fetch: RangeFetch
    private var isOver = false

    init(fetch: RangeFetch) { self.fetch = fetch }

    /// Returns at least one byte and at most a few hundred kB; nil once the range is complete.
    ///
    /// - Throws: `RobotError`. The bytes returned before it are still the beginning of the range, unless the error is
    ///   `.shortBody` or `.malformed`.
    public mutating func next() async throws(RobotError) -> [UInt8]? {
      guard !isOver else { return nil }
      do throws(RobotError) {
        while let step = try await fetch.next() {
          if case .bytes(let bytes) = step { return bytes }
        }
      } catch {
        isOver = true
        throw error
      }
      isOver = true
      return nil
    }
  }
}
