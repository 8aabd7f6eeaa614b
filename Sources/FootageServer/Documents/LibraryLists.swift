internal import FootageAPI
internal import Formats
internal import HTTPSemantics
internal import HTTPTransport
internal import RecordingLibrary
internal import FootageSystem

/// The lists of one loop: made out of what was published last, tagged by their bytes, and waited for (RFC 7240
/// §4.3). Belongs to its loop's thread.
final class LibraryLists {
  /// Which list is meant. With its tag this is all that is kept of a request that waits.
  enum List {
    case recordings(ListQuery)
    case cameras
    case camerasOf(robot: String)

    /// The same for the same list, byte by byte: as strings, two spellings of `é` are equal, and they are two cameras.
    fileprivate var bytes: [UInt8] {
      switch self {
      case .recordings(let query): Array(Resource.recordings(query).target.utf8)
      case .cameras: Array(Resource.cameras().target.utf8)
      case .camerasOf(let robot): Array(Resource.cameras(robot: robot).target.utf8)
      }
    }
  }

  /// A list as those see it who may see and do the same.
  private struct Key: Hashable {
    let list: [UInt8]
    let access: Access

    init(_ list: List, _ access: Access) {
      self.list = list.bytes
      self.access = access
    }
  }

  private var contents: any ListContents
  private let robot: RobotDescription
  private let control: AccessControl
  /// Whether nobody changes anything here, whatever their rights are.
  private let isReadOnly: Bool
  private let pool: BlockingPool
  /// Shared by all loops.
  private let viewers: ViewerPlaces
  private var waiting: [ObjectIdentifier: any RequestConnection] = [:]
  /// How many requests wait for each list.
  private var waitingCounts: [Key: Int] = [:]
  /// Each list that is waited for is made once a generation, for all who wait for it.
  private let tags = GenerationCache<Key, EntityTag?>(limit: listLimit)
  private let cameras = GenerationCache<Bool, [CameraList.Camera]?>(limit: 1)

  /// Different lists that may be waited for: each is made again whenever anything is published.
  static let listLimit = 64

  /// - Parameter pool: threads that may wait for what the lists are made of.
  init(
    _ contents: any ListContents, robot: RobotDescription, pool: BlockingPool, viewers: ViewerPlaces,
    control: AccessControl, isReadOnly: Bool = false
  ) {
    self.contents = contents
    self.robot = robot
    self.control = control
    self.isReadOnly = isReadOnly
    self.pool = pool
    self.viewers = viewers
  }

  /// How many requests wait.
  var waitingCount: Int { waiting.count }

  /// How many lists were made only to see whether they are still the same.
  var comparisonCount: Int { tags.madeCount }

  /// How often the cameras were counted.
  var cameraCount: Int { cameras.madeCount }

  /// From now on the lists are made of this. Every request that waits looks once whether its list is another
  /// one.
  func update(to contents: any ListContents) {
    self.contents = contents
    for connection in waiting.values { connection.endHold() }
  }

  /// Every request that waits looks once whether its list is another one for who asks.
  func accessChanged() {
    for connection in waiting.values { connection.endHold() }
  }

  /// The answer to a request; where the client has this list, and would rather wait for another one, then.
  func answer(with list: List, to request: Request) async -> HTTPResponse {
    guard request.head.combinedValue(of: .ifNoneMatch) != nil, let preference = WaitPreference(of: request.head) else {
      return Self.response(await document(list, for: access(of: request)))
    }
    let fields: [(name: StaticString, value: String)] = [("Preference-Applied", preference.applied)]
    let generation = contents.generation
    let key = Key(list, access(of: request))
    switch await compare(list, with: request.head, for: key.access, at: request.clock.unixSeconds) {
    case .other(let document): return Self.response(document, fields: fields)
    case .same(let tag):
      // What the clock alone has changed since the tag was kept is no news.
      tags.keep(tag, for: key, generation)
      guard waitingCounts[key] != nil || waitingCounts.count < Self.listLimit else {
        return .document(Self.tooManyLists.document)
      }
      let viewer = Viewer(of: request)
      guard viewers.take(viewer) else { return .document(HTTPProblem.tooManyWait.document) }
      defer { viewers.leave(viewer) }
      await wait(
        for: list, key, toDifferFrom: tag, over: request.connection,
        until: request.clock.deadline(after: .seconds(preference.seconds)))
      return Self.response(await document(list, for: access(of: request)), fields: fields)
    }
  }

  private static func response(
    _ document: DocumentBody?, fields: [(name: StaticString, value: String)] = []
  ) -> HTTPResponse {
    document.map { .representation($0, fields: fields) } ?? .document(unreadable.document)
  }

  private static let unreadable = HTTPProblem(
    .serviceUnavailable, .unreadable, "The list cannot be read just now: the server's log says why.",
    fields: [("Retry-After", "10")])

  private func access(of request: Request) -> Access { control.access(over: request.connection) }

  private static let tooManyLists = HTTPProblem(
    .tooManyRequests, .tooManyWaiting,
    "\(listLimit) different lists are waited for already: ask without the field Prefer, or wait for all recordings.",
    fields: [("Retry-After", "10")])

  private enum Comparison {
    /// The client has it.
    case same(EntityTag)
    /// Nil where there is none just now.
    case other(DocumentBody?)
  }

  private func compare(
    _ list: List, with request: RequestHead, for access: Access, at now: Int64
  ) async -> Comparison {
    guard let document = await document(list, for: access) else { return .other(nil) }
    let verdict = Preconditions.evaluate(request, document.metadata, now: now)
    return verdict == .notModified ? .same(document.metadata.entityTag) : .other(document)
  }

  private func wait(
    for list: List, _ key: Key, toDifferFrom tag: EntityTag, over connection: any RequestConnection,
    until deadline: Deadline
  ) async {
    waiting[ObjectIdentifier(connection)] = connection
    waitingCounts[key, default: 0] += 1
    defer {
      waiting[ObjectIdentifier(connection)] = nil
      if let count = waitingCounts[key] { waitingCounts[key] = count > 1 ? count - 1 : nil }
    }
    while true {
      let (generation, accessGeneration) = (contents.generation, control.generation)
      guard await self.tag(of: list, for: control.access(over: connection)) == tag else { return }
      // Whatever was published meanwhile found nobody to wake.
      guard contents.generation == generation, control.generation == accessGeneration else { continue }
      guard await connection.hold(until: deadline) else { return }
    }
  }

  /// Made off the loop.
  private func tag(of list: List, for access: Access) async -> EntityTag? {
    let (pool, contents, header) = (pool, contents, header(for: access))
    return await tags.value(for: Key(list, access), contents.generation) {
      switch list {
      case .recordings(let query):
        await pool.run {
          contents.page(of: query, for: access.cameras, header, at: contents.now).map { DocumentBody.tag(of: $0) }
        }
      case .cameras, .camerasOf: await document(list, for: access)?.metadata.entityTag
      }
    }
  }

  private func header(for access: Access) -> ListHeader {
    ListHeader(robot: robot, may: isReadOnly ? access.readingWords : access.words)
  }

  // MARK: Documents

  private func document(_ list: List, for access: Access) async -> DocumentBody? {
    switch list {
    case .recordings(let query): await recordingsDocument(query, for: access)
    case .cameras: await camerasDocument(ofRobot: nil, for: access)
    case .camerasOf(let robot): await camerasDocument(ofRobot: robot, for: access)
    }
  }

  /// A thousand recordings are half a megabyte, which is not kept in memory for a client that does not read it.
  private func recordingsDocument(_ query: ListQuery, for access: Access) async -> DocumentBody? {
    let (pool, contents, header, now) = (pool, contents, header(for: access), contents.now)
    let make: @Sendable () -> [UInt8]? = { contents.page(of: query, for: access.cameras, header, at: now) }
    if contents.isInMemory { return DocumentBody(isShared: access.isShared) { make() ?? [] } }
    guard let made = await pool.run({ make().map { (bytes: $0, tag: DocumentBody.tag(of: $0)) } }) else { return nil }
    // What comes and goes meanwhile must not get into the middle of it.
    return DocumentBody(made.bytes, made.tag, isShared: access.isShared)
  }

  /// What there is of a camera over some time. A month of it is megabytes, which are made off the loop.
  ///
  /// - Parameter camera: nil for recordings without a camera.
  func timeline(ofCamera camera: String?, _ query: TimelineQuery, for request: Request) async -> HTTPResponse {
    let access = access(of: request)
    let window: TimelineWindow
    do throws(ResourceError) { window = try TimelineWindow(query, now: contents.now) } catch {
      return .document(HTTPProblem(error).document)
    }
    let (pool, contents, header) = (pool, contents, header(for: access))
    let make: @Sendable () -> [UInt8]? = {
      guard
        let timeline = contents.timeline(
          ofCamera: camera, window, hasRows: query.hasRows, for: access.cameras, header)
      else { return nil }
      var json = JSONWriter()
      timeline.write(into: &json)
      return json.document
    }
    let made = await pool.run { make().map { (bytes: $0, tag: DocumentBody.tag(of: $0)) } }
    // The rules may have become others meanwhile.
    guard self.access(of: request) == access else { return await timeline(ofCamera: camera, query, for: request) }
    guard let made else { return .document(Self.noSuchCamera.document) }
    guard contents.isInMemory else {
      return .representation(DocumentBody(made.bytes, made.tag, isShared: access.isShared))
    }
    return .representation(
      DocumentBody(json: made.bytes, made.tag, isShared: access.isShared) { await pool.run { make() ?? [] } })
  }

  private static let noSuchCamera = HTTPProblem(
    .notFound, .notFound, "There is no camera of that name: GET /cameras lists those that there are.")

  private func camerasDocument(ofRobot robot: String?, for access: Access) async -> DocumentBody? {
    let (pool, contents) = (pool, contents)
    let cameras = await cameras.value(for: true, contents.generation) { await pool.run { contents.cameras() } }
    guard let cameras else { return nil }
    let list = CameraList(
      header: header(for: access),
      cameras: cameras.filter { camera in
        access.cameras.contains(camera: camera.name)
          && robot.map { $0.utf8.elementsEqual((camera.robot ?? "").utf8) } ?? true
      })
    return DocumentBody(isShared: access.isShared) {
      var json = JSONWriter()
      list.write(into: &json)
      return json.document
    }
  }
}
