/// The bytes of a range of a recording, in order, as chunks of whatever size they come in.
public struct RecordingBytes: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = RobotError

  let fetch: RangeFetch

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(fetch: fetch) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private var fetch: RangeFetch
    private var isOver = false

    init(fetch: RangeFetch) { self.fetch = fetch }

    /// At least one byte and some hundred kB at most; nil once the range is whole.
    ///
    /// - Throws: `RobotError`; then what came until now is the beginning of the range all the same, unless the error is
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
