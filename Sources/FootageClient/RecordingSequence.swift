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

  let requests: RobotRequests
  let query: Query

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(requests: requests, query: query) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let requests: RobotRequests
    let query: Query
    private var page: ArraySlice<RobotRecording> = []
    private var cursor: String?
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
      var recordings: [RobotRecording] = []
      for item in items {
        guard let recording = RobotRecording(item) else { throw .malformed("an item of the list lacks what all have") }
        recordings.append(recording)
      }
      // A list that leads back to where it was would never end.
      if let next = next.string, next == cursor || items.isEmpty { throw .malformed("the list does not get on") }
      cursor = next.string
      isLastPage = cursor == nil
      page = recordings[...]
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
