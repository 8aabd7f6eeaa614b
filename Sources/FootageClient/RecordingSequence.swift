/// The robot's recordings, newest first, fetched page by page as they are asked for.

internal import Formats

/// A list of a robot's recordings, newest first. Each iteration asks the robot anew, for one page after the other.
public struct RecordingSequence: AsyncSequence, Sendable {
  public typealias Element = RobotRecording
  public typealias Failure = RobotError

  /// What is wanted of the list.
  struct Query: Hashable, Sendable {
    var camera: String?
    var since: UnixTime?
    var until: UnixTime?
    var state: RecordingFilter?

    /// The page behind a cursor.
    func target(after cursor: String?) -> String {
      var parameters = ["limit=\(RecordingSequence.pageLength)"]
      for (name, value) in [
        ("camera", camera), ("since", since?.description), ("until", until?.description), ("state", state?.rawValue),
        ("after", cursor),
      ] {
        // `/` may stand in a query as it is (RFC 3986 §3.4).
        if let value { parameters.append("\(name)=\(PercentEncoding.encodePath(value))") }
      }
      return "/recordings?\(parameters.joined(separator: "&"))"
    }
  }

  static let pageLength = 200
  /// Pages that are asked for at most, and bytes of a cursor: with more no list gets on, and a robot that leads in a circle
  /// must not have all of it remembered.
  static let pageLimit = 10_000
  static let cursorLimit = 1024

  let requests: RobotRequests
  let query: Query

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(requests: requests, query: query) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let requests: RobotRequests
    let query: Query
    private var page: ArraySlice<RobotRecording> = []
    private var cursor: String?
    private var seenCursors: Set<String> = []
    private var isLastPage = false

    init(requests: RobotRequests, query: Query) {
      self.requests = requests
      self.query = query
    }

    /// The next one; nil at the end of the list.
    ///
    /// - Throws: `RobotError`, after the retries.
    public mutating func next() async throws(RobotError) -> RobotRecording? {
      while page.isEmpty {
        guard !isLastPage else { return nil }
        try await fetchPage()
      }
      return page.popFirst()
    }

    private mutating func fetchPage() async throws(RobotError) {
      let json = try await requests.json(query.target(after: cursor), name: "the list of recordings")
      guard let items = json["recordings"]?.array, let next = json["next"], next.isNull || next.string != nil else {
        throw .malformed("the list has no recordings or no next")
      }
      // A list that leads back to where it was would never end.
      if let next = next.string {
        guard !items.isEmpty, next.utf8.count <= RecordingSequence.cursorLimit,
          seenCursors.count < RecordingSequence.pageLimit, seenCursors.insert(next).inserted
        else { throw .malformed("the list does not get on") }
      }
      cursor = next.string
      isLastPage = cursor == nil
      page = recordings(items)[...]
    }

    /// What makes no sense is left out, and told: one bad item must not take all others with it.
    private func recordings(_ items: [JSONValue]) -> [RobotRecording] {
      var recordings: [RobotRecording] = []
      var faults = 0
      var firstFault = ""
      for item in items {
        do throws(RobotRecording.ItemFault) { recordings.append(try RobotRecording(item: item)) } catch {
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
