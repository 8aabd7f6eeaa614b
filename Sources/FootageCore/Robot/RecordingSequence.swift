internal import FootageAPI
internal import FootageBase

/// A list of a robot's recordings, newest first. Each iteration asks the robot anew, for one page after the other.
///
/// Where the robot is away and the connection has a cache, what comes, or the rest of it, is what the robot listed last:
/// each recording says when (``RobotRecording/listedAt``).
public struct RecordingSequence: AsyncSequence, Sendable {
  public typealias Element = RobotRecording
  public typealias Failure = RobotError

  static let pageLength = 200
  /// Pages that are asked for at most, and bytes of a cursor: with more no list gets on, and a robot that leads in a
  /// circle must not have all of it remembered.
  static let pageLimit = 10_000
  static let cursorLimit = 1024

  let requests: RobotRequests
  /// Of its first page.
  let query: ListQuery
  /// What the robot listed last; nil where nothing is remembered.
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
    /// Of the page that came last.
    private var end: ListedRecordings.End?
    /// Why what comes is what the robot listed last; nil while it says itself what there is.
    public private(set) var offlineReason: RobotError?

    init(requests: RobotRequests, query: ListQuery, memory: ListMemory?) {
      self.requests = requests
      self.query = query
      self.memory = memory
    }

    /// The next one; nil at the end of the list.
    ///
    /// - Throws: `RobotError`, after the retries; `.unreachable` and `.unavailable` only where nothing is remembered.
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
      guard let list = RecordingList(json) else { throw .malformed("the list has no recordings or no next") }
      // A list that leads back to where it was would never end.
      if let next = list.next?.text {
        guard !list.items.isEmpty, next.utf8.count <= RecordingSequence.cursorLimit,
          seenCursors.count < RecordingSequence.pageLimit, seenCursors.insert(next).inserted
        else { throw .malformed("the list does not get on") }
      }
      query.after = list.next
      isLastPage = query.after == nil
      let listed = recordings(list.items)
      let asked = self.query
      await memory?.take(
        ListedRecordings.Page(
          query: asked, end: end, recordings: listed, isLast: isLastPage, robot: list.header.robot))
      end = ListedRecordings.End(of: listed, after: end)
      // An earlier robot knows fewer conditions than are asked for.
      page = listed.filter { asked.includes($0.facts) }[...]
    }

    /// What makes no sense is left out, and told: one bad item must not take all others with it.
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

/// Which recordings are wanted.
public enum RecordingFilter: String, Hashable, Sendable {
  /// Those that can be played.
  case ready
  /// Those that the recorder writes to.
  case recording
  /// Those that cannot be played.
  case refused
}
