internal import FootageAPI
internal import FootageBase

/// A list of a robot's recordings, newest first. Each iteration asks the robot again, for one page after the other.
///
/// If the robot cannot be reached and the connection has a cache, the list, or the rest of it, consists of what the
/// robot listed last. Each of these recordings has the time of that listing (``RobotRecording/listedAt``).
public struct RecordingSequence: AsyncSequence, Sendable {
  public typealias Element = RobotRecording
  public typealias Failure = RobotError

  static let pageLength = 200
  /// The largest number of pages that are requested. A list with more pages fails, because the client remembers all
  /// cursors, and a robot could return new ones forever.
  static let pageLimit = 10_000
  /// The largest size of a cursor, in bytes.
  static let cursorLimit = 1024

  let requests: RobotRequests
  /// The query for the first page.
  let query: ListQuery
  /// The memory of the list that the robot last sent; nil if none is remembered.
  let memory: ListMemory?

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(requests: requests, query: query, memory: memory)
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let requests: RobotRequests
    private var query: ListQuery
    private var page: ArraySlice<RobotRecording> = []
    private var seenCursors: Set<String> = []
    private var isLastPage = false
    private let memory: ListMemory?
    /// The end of the latest page.
    private var end: ListedRecordings.End?
    /// The reason why the recordings are those that the robot listed last; nil while the robot itself answers.
    public private(set) var offlineReason: RobotError?

    init(requests: RobotRequests, query: ListQuery, memory: ListMemory?) {
      self.requests = requests
      self.query = query
      self.memory = memory
    }

    /// Returns the next recording; nil at the end of the list.
    ///
    /// - Throws: `RobotError`, after the retries; `.unreachable` and `.unavailable` only if no list is remembered.
    public mutating func next() async throws(RobotError) -> RobotRecording? {
      while page.isEmpty {
        guard !isLastPage else { return nil }
        try await fetchPage()
      }
      return page.popFirst()
    }

    private mutating func fetchPage() async throws(RobotError) {
      let json: JSONValue
      do throws(RobotError) {
        json = try await requests.json(Resource.recordings(query).target, name: "the list of recordings")
      } catch {
        guard error.canPass, let rest = await memory?.rest(query, after: end) else { throw error }
        offlineReason = error
        isLastPage = true
        page = rest[...]
        return
      }
      guard let list = RecordingList(json) else { throw .malformed("the list lacks 'recordings' or 'next'") }
      // A list that leads back to an earlier page would never end.
      if let next = list.next?.text {
        guard !list.items.isEmpty, next.utf8.count <= RecordingSequence.cursorLimit,
          seenCursors.count < RecordingSequence.pageLimit, seenCursors.insert(next).inserted
        else { throw .malformed("the list does not advance") }
      }
      query.after = list.next
      isLastPage = query.after == nil
      let listed = recordings(list.items)
      let asked = self.query
      await memory?.take(
        ListedRecordings.Page(
          query: asked, end: end, recordings: listed, isLast: isLastPage, robot: list.header.robot))
      end = ListedRecordings.End(of: listed, after: end)
      // An older robot ignores conditions that it does not know.
      page = listed.filter { asked.includes($0.facts) }[...]
    }

    /// Reads the items. An invalid one is left out and reported, so that one invalid item does not make the whole list
    /// unusable.
    private func recordings(_ items: [JSONValue]) -> [RobotRecording] {
      var recordings: [RobotRecording] = []
      var faults = 0
      var firstFault = ""
      for item in items {
        do throws(RecordingItem.Fault) {
          let recording = try RobotRecording(listed: item)
          requests.versionedURLs.learn(from: recording)
          recordings.append(recording)
        } catch {
          if faults == 0 { firstFault = error.reason }
          faults += 1
        }
      }
      if faults > 0 { requests.onEvent(.leftOut(count: faults, reason: firstFault)) }
      return recordings
    }
  }
}

/// A selection of recordings by their state.
public enum RecordingFilter: String, Hashable, Sendable {
  /// The recordings that can be played.
  case ready
  /// The recordings that the recorder is still writing.
  case recording
  /// The recordings that cannot be played.
  case refused
}
