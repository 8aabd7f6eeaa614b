internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The lists that one loop serves. They are made on other threads, from the newest published contents. Their entity
/// tags are digests of their bytes. A request can wait until its list changes (RFC 7240 §4.3). Belongs to its loop's
/// thread.
final class LibraryLists {
  /// The list that a request is for. A waiting request keeps only this value and the list's tag.
  enum List {
    case recordings(ListQuery)
    case cameras
    case camerasOf(robot: String)

    /// The target of the list. Equal lists have equal targets.
    fileprivate var target: [UInt8] {
      switch self {
      case .recordings(let query): Array(Resource.recordings(query).target.utf8)
      case .cameras: Array(Resource.cameras().target.utf8)
      case .camerasOf(let robot): Array(Resource.cameras(robot: robot).target.utf8)
      }
    }
  }

  private var contents: any ListContents
  private let robot: RobotDescription
  private let control: AccessControl
  /// True if no viewer can change anything on this server, even with rights to do so.
  private let isReadOnly: Bool
  private let documents: DocumentQueue
  /// The places of requests that wait for a change; shared by all loops.
  private let viewers: ViewerPlaces
  private var waiting: [ObjectIdentifier: any RequestConnection] = [:]

  /// - Parameter viewers: the places of requests that wait for a change.
  init(
    _ contents: any ListContents, robot: RobotDescription, documents: DocumentQueue, viewers: ViewerPlaces,
    control: AccessControl, isReadOnly: Bool = false
  ) {
    self.contents = contents
    self.robot = robot
    self.control = control
    self.isReadOnly = isReadOnly
    self.documents = documents
    self.viewers = viewers
  }

  /// The number of requests that wait.
  var waitingCount: Int { waiting.count }

  /// Sets the contents from which lists are made from now on. Every waiting request checks once whether its list has
  /// changed.
  func update(to contents: any ListContents) {
    self.contents = contents
    for connection in waiting.values { connection.endHold() }
  }

  /// Makes every waiting request check once whether its list has changed for its viewer.
  func accessChanged() {
    for connection in waiting.values { connection.endHold() }
  }

  /// Returns the answer to a request. If the client already has this list and is willing to wait, the answer is delayed
  /// until the list changes.
  func answer(with list: List, to request: Request) async -> HTTPResponse {
    guard request.head.combinedValue(of: .ifNoneMatch) != nil, let preference = WaitPreference(of: request.head) else {
      return response(await answer(list, for: request), to: request)
    }
    let fields: [(name: StaticString, value: String)] = [("Preference-Applied", preference.applied)]
    let tag: EntityTag
    switch await compare(list, with: request) {
    case .other(let answer): return response(answer, to: request, fields: fields)
    case .same(let same): tag = same
    }
    let viewer = Viewer(of: request)
    guard viewers.take(viewer) else { return .document(HTTPProblem.tooManyWait.document) }
    defer { viewers.leave(viewer) }
    await wait(
      for: list, toDifferFrom: tag, over: request.connection, by: viewer,
      until: request.clock.deadline(after: .seconds(preference.seconds)))
    return response(await self.answer(list, for: request, hasPlace: true), to: request, fields: fields)
  }

  /// The result of comparing the current list with the tag that the client has sent. While the client waits, only the
  /// tag is kept in memory, not the list.
  private enum Comparison {
    case same(EntityTag)
    case other(DocumentQueue.Answer)
  }

  private func compare(_ list: List, with request: Request) async -> Comparison {
    let answer = await answer(list, for: request)
    guard case .document(let document) = answer else { return .other(answer) }
    let metadata = DocumentBody(document.bytes, document.tag, isShared: access(of: request).isShared).metadata
    let verdict = Preconditions.evaluate(request.head, metadata, now: request.clock.unixSeconds)
    return verdict == .notModified ? .same(document.tag) : .other(answer)
  }

  private func response(
    _ answer: DocumentQueue.Answer, to request: Request, fields: [(name: StaticString, value: String)] = [],
    otherwise problem: HTTPProblem = LibraryLists.unreadable
  ) -> HTTPResponse {
    switch answer {
    case .document(let document):
      if let body = body(document, for: request) {
        .representation(body, fields: fields)
      } else {
        .document(HTTPProblem.tooManyAsked.document)
      }
    case .nothing: .document(problem.document)
    case .busy: .document(HTTPProblem.tooManyAsked.document)
    }
  }

  /// Returns the body that sends a document. A list of a thousand recordings has half a megabyte. If possible, the
  /// bytes are released while a client reads slowly, and made again later.
  ///
  /// - Returns: nil if the document would have to be kept in memory, but the viewer's limit of kept documents is
  ///   reached.
  private func body(_ document: DocumentQueue.Document, for request: Request) -> DocumentBody? {
    let isShared = access(of: request).isShared
    let (documents, viewer) = (documents, Viewer(of: request))
    guard contents.isInMemory else {
      // The bytes are kept, because a document that is remade while it is sent could differ.
      return documents.placeToSend(for: viewer).map {
        DocumentBody(document.bytes, document.tag, isShared: isShared, counted: $0)
      }
    }
    return DocumentBody(json: document.bytes, document.tag, isShared: isShared) {
      await documents.bytes(of: document, for: viewer)
    }
  }

  private static let unreadable = HTTPProblem(
    .serviceUnavailable, .unreadable, "The list cannot be read at the moment: see the server's log for the reason.",
    fields: [("Retry-After", "10")])

  private func access(of request: Request) -> Access { control.access(over: request.connection) }

  private func wait(
    for list: List, toDifferFrom tag: EntityTag, over connection: any RequestConnection, by viewer: Viewer,
    until deadline: Deadline
  ) async {
    waiting[ObjectIdentifier(connection)] = connection
    defer { waiting[ObjectIdentifier(connection)] = nil }
    while true {
      let (generation, accessGeneration) = (contents.generation, control.generation)
      let access = control.access(over: connection)
      let known = await documents.tag(question(list, access), for: viewer, make: maker(of: list, for: access))
      guard known == tag else { return }
      // Contents that were published meanwhile could not wake this request.
      guard contents.generation == generation, control.generation == accessGeneration else { continue }
      guard await connection.hold(until: deadline) else { return }
    }
  }

  private func header(for access: Access) -> ListHeader {
    ListHeader(robot: robot, may: isReadOnly ? access.readingWords : access.words)
  }

  // MARK: Documents

  private func question(_ list: List, _ access: Access) -> DocumentQueue.Question {
    DocumentQueue.Question(target: list.target, access: access, generation: contents.generation)
  }

  /// Returns a list with the recordings that the viewer may see at the time when it is made.
  ///
  /// - Parameter hasPlace: true if the request already occupies one of the viewer's places, because it has waited for a
  ///   change.
  private func answer(_ list: List, for request: Request, hasPlace: Bool = false) async -> DocumentQueue.Answer {
    while true {
      let access = access(of: request)
      let answer = await documents.answer(
        question(list, access), for: Viewer(of: request), hasPlace: hasPlace, make: maker(of: list, for: access))
      // The rules may have changed meanwhile.
      if self.access(of: request) == access { return answer }
    }
  }

  /// Returns a closure that makes a list from the current contents, with the same bytes each time.
  private func maker(of list: List, for access: Access) -> @Sendable () -> [UInt8]? {
    let (contents, header) = (contents, header(for: access))
    switch list {
    case .recordings(let query):
      let now = contents.now
      return { contents.page(of: query, for: access.cameras, header, at: now) }
    case .cameras: return Self.maker(ofCameras: contents, robot: nil, for: access, header)
    case .camerasOf(let robot): return Self.maker(ofCameras: contents, robot: robot, for: access, header)
    }
  }

  private static func maker(
    ofCameras contents: any ListContents, robot: String?, for access: Access, _ header: ListHeader
  ) -> @Sendable () -> [UInt8]? {
    return {
      guard let cameras = contents.cameras() else { return nil }
      let list = CameraList(
        header: header,
        cameras: cameras.filter { camera in
          access.cameras.contains(camera: camera.name)
            && robot.map { ExactName($0) == ExactName(camera.robot ?? "") } ?? true
        })
      var json = JSONWriter()
      list.write(into: &json)
      return json.document
    }
  }

  /// Returns the timeline of a camera.
  ///
  /// - Parameter camera: nil for the recordings without a camera.
  func timeline(ofCamera camera: String?, _ query: TimelineQuery, for request: Request) async -> HTTPResponse {
    while true {
      let access = access(of: request)
      let window: TimelineWindow
      do throws(ResourceError) { window = try TimelineWindow(query, now: contents.now) } catch {
        return .document(HTTPProblem(error).document)
      }
      let (contents, header) = (contents, header(for: access))
      let make: @Sendable () -> [UInt8]? = {
        guard
          let timeline = contents.timeline(
            ofCamera: camera, window, rows: query.rows, for: access.cameras, header)
        else { return nil }
        var json = JSONWriter()
        timeline.write(into: &json)
        return json.document
      }
      let question = DocumentQueue.Question(
        target: Array(Resource.camera(name: camera, .timeline(query)).target.utf8), access: access,
        generation: contents.generation, range: window.whole)
      let answer = await documents.answer(question, for: Viewer(of: request), make: make)
      // The rules may have changed meanwhile.
      guard self.access(of: request) == access else { continue }
      return response(answer, to: request, otherwise: .noSuchCamera)
    }
  }
}
