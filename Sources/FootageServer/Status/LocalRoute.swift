internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageLibrary
internal import FootageSystem

/// The resources that commands on this machine request from a server, over its socket only: `/folder`, `/recordings`
/// and `/cameras` for `footage list`, and `/settings` and `/findings` for `footage doctor`.
struct LocalRoute: Sendable {
  /// The settings of this server.
  private let settings: [ServerSetting]
  /// The library; nil if the server has no folder.
  private let library: RecordingLibrary?
  /// The queue in which answers are made, because they visit all recordings.
  private let documents: DocumentQueue

  /// The maximum number of recordings on a page.
  private static let longestPage = 1_000

  init(_ settings: [ServerSetting], _ library: RecordingLibrary?, on documents: DocumentQueue) {
    self.settings = settings
    self.library = library
    self.documents = documents
  }

  /// - Returns: nil if there is no such resource.
  func answer(to head: RequestHead) async -> HTTPDocument? {
    if head.path.elementsEqual("/settings".utf8) { return Self.document(ServerSetting.document(of: settings)) }
    guard let library else { return nil }
    if head.path.elementsEqual("/folder".utf8) {
      return Self.document(await documents.run(for: .thisMachine) { Self.folder(library) })
    }
    if head.path.elementsEqual("/findings".utf8) {
      return Self.document(
        await documents.run(for: .thisMachine) {
          var json = JSONWriter()
          library.snapshot.findings.write(into: &json)
          return json.document
        })
    }
    guard let resource = try? Resource(path: head.path, query: head.query) else { return nil }
    switch resource {
    case .recordings(var query):
      query.limit = min(query.limit, Self.longestPage)
      let wanted = query
      let page = await documents.run(for: .thisMachine) { () -> [UInt8]? in
        LibraryContents(snapshot: library.snapshot, library: library)
          .page(of: wanted, for: .all, Self.header(library), at: library.now)
      }
      return page.map(Self.document)
    case .cameras(nil): return Self.document(await documents.run(for: .thisMachine) { Self.cameras(library) })
    default: return nil
    }
  }

  private static func header(_ library: RecordingLibrary) -> ListHeader {
    ListHeader(robot: RobotDescription(zone: library.naming.zone.name), may: nil)
  }

  private static func folder(_ library: RecordingLibrary) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("folder", library.place.recordings)
      // Before all files have been examined, a list is not complete.
      json.member("settled", library.condition.isSettled)
      json.member("zone", library.naming.zone.name)
      json.member("forecast", library.forecast()?.sentence)
    }
    return json.document
  }

  private static func cameras(_ library: RecordingLibrary) -> [UInt8] {
    var json = JSONWriter()
    CameraList(header: header(library), cameras: library.cameras(of: library.snapshot)).write(into: &json)
    return json.document
  }

  private static func document(_ bytes: [UInt8]) -> HTTPDocument {
    HTTPDocument(.ok, mediaType: "application/json", bytes: bytes, fields: [("Cache-Control", "no-store")])
  }
}
