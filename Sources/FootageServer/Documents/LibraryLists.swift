internal import FootageAPI
internal import Formats
internal import HTTPSemantics
internal import HTTPTransport
internal import RecordingLibrary
internal import System

/// The lists of one loop: made out of what the library published last, tagged by their bytes, and waited for (RFC 7240 §4.3).
/// Belongs to its loop's thread.
final class LibraryLists {
  /// Which list is meant. With its tag this is all that is kept of a request that waits.
  enum List {
    case recordings(ListQuery)
    case cameras

    /// The same for the same list, byte by byte: as strings, two spellings of `é` are equal, and they are two cameras.
    fileprivate var key: [UInt8] {
      switch self {
      case .recordings(let query): Array(Resource.recordings(query).target.utf8)
      case .cameras: Array(Resource.cameras.target.utf8)
      }
    }
  }

  private var snapshot: LibrarySnapshot
  private let library: RecordingLibrary
  private let robot: RobotDescription
  private let pool: BlockingPool
  /// Shared by all loops.
  private let viewers: ViewerPlaces
  private var waiting: [ObjectIdentifier: any RequestConnection] = [:]
  /// Of this snapshot, so that each list is made once for all who wait for it.
  private var tags: [[UInt8]: EntityTag] = [:]
  private var cameras: (generation: UInt64, summaries: [CameraSummary])?

  /// How many tags are kept at most: a client can ask for many lists, and go again.
  private static let tagLimit = 256

  init(_ library: RecordingLibrary, robot: RobotDescription, pool: BlockingPool, viewers: ViewerPlaces) {
    self.library = library
    self.robot = robot
    self.pool = pool
    self.viewers = viewers
    snapshot = library.snapshot
  }

  /// How many requests wait.
  var waitingCount: Int { waiting.count }

  /// From now on the lists are those of this snapshot. Every request that waits looks once whether its list is another one.
  func update(to snapshot: LibrarySnapshot) {
    self.snapshot = snapshot
    tags = [:]
    for connection in waiting.values { connection.endHold() }
  }

  /// The answer to a request; where the client has this list, and would rather wait for another one, then.
  func answer(with list: List, to request: Request) async -> HTTPResponse {
    guard request.head.combinedValue(of: .ifNoneMatch) != nil, let preference = WaitPreference(of: request.head) else {
      return .representation(await document(list))
    }
    let fields: [(name: StaticString, value: String)] = [("Preference-Applied", preference.applied)]
    let generation = snapshot.generation
    switch await compare(list, with: request.head, at: request.clock.unixSeconds) {
    case .other(let document): return .representation(document, fields: fields)
    case .same(let tag):
      // What the clock alone has changed since the tag was kept is no news.
      if snapshot.generation == generation { tags[list.key] = tag }
      let viewer = Viewer(of: request)
      guard viewers.take(viewer) else { return .document(Self.tooManyWait.document) }
      defer { viewers.leave(viewer) }
      await wait(
        for: list, toDifferFrom: tag, over: request.connection,
        until: request.clock.deadline(after: .seconds(preference.seconds)))
      return .representation(await document(list), fields: fields)
    }
  }

  private static let tooManyWait = HTTPProblem(
    .tooManyRequests, .tooManyWaiting,
    """
    \(ViewerPlaces.limit) requests of this viewer wait for changes already: ask without the field Prefer, or end one of \
    them.
    """,
    fields: [("Retry-After", "10")])

  private enum Comparison {
    /// The client has it.
    case same(EntityTag)
    case other(DocumentBody)
  }

  private func compare(_ list: List, with request: RequestHead, at now: Int64) async -> Comparison {
    let document = await document(list)
    let verdict = Preconditions.evaluate(request, document.metadata, now: now)
    return verdict == .notModified ? .same(document.metadata.entityTag) : .other(document)
  }

  private func wait(
    for list: List, toDifferFrom tag: EntityTag, over connection: any RequestConnection, until deadline: Deadline
  ) async {
    waiting[ObjectIdentifier(connection)] = connection
    defer { waiting[ObjectIdentifier(connection)] = nil }
    while true {
      let generation = snapshot.generation
      guard await self.tag(of: list) == tag else { return }
      // Whatever was published meanwhile found nobody to wake.
      guard snapshot.generation == generation else { continue }
      guard await connection.hold(until: deadline) else { return }
    }
  }

  private func tag(of list: List) async -> EntityTag {
    let key = list.key
    if let tag = tags[key] { return tag }
    let generation = snapshot.generation
    let tag = await document(list).metadata.entityTag
    guard snapshot.generation == generation else { return tag }
    if tags.count >= Self.tagLimit { tags = [:] }
    tags[key] = tag
    return tag
  }

  // MARK: Documents

  private func document(_ list: List) async -> DocumentBody {
    switch list {
    case .recordings(let query): recordings(query)
    case .cameras: camerasDocument(await summaries())
    }
  }

  /// A thousand recordings are half a megabyte, which is not kept in memory for a client that does not read it.
  private func recordings(_ query: ListQuery) -> DocumentBody {
    let (recordings, next) = snapshot.page(of: query)
    let now = library.now
    return DocumentBody { [robot] in
      var json = JSONWriter()
      json.object { json in
        robot.write(into: &json)
        json.member("recordings") { json in
          json.array(recordings) { json, recording in recording.item(at: now).write(into: &json) }
        }
        json.member("next", next?.text)
      }
      return json.document
    }
  }

  private func camerasDocument(_ summaries: [CameraSummary]) -> DocumentBody {
    DocumentBody { [robot] in
      var json = JSONWriter()
      json.object { json in
        robot.write(into: &json)
        json.member("cameras") { json in
          json.array(summaries) { json, camera in camera.writeJSON(into: &json) }
        }
      }
      return json.document
    }
  }

  /// Counted once for each snapshot, off the loop.
  private func summaries() async -> [CameraSummary] {
    let snapshot = snapshot
    if let cameras, cameras.generation == snapshot.generation { return cameras.summaries }
    let summaries = await pool.run { snapshot.cameras }
    if snapshot.generation == self.snapshot.generation { cameras = (snapshot.generation, summaries) }
    return summaries
  }
}

extension CameraSummary {
  /// Writes it as one JSON object; moments in milliseconds since 1970.
  fileprivate func writeJSON(into json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      json.member("recordings", recordingCount)
      json.member("from", from.milliseconds)
      json.member("to", to.milliseconds)
      json.member("live", isLive)
      json.member("codec", codec)
    }
  }
}
