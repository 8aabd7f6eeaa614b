internal import FootageAPI
internal import FootageBase

/// A request to a robot, in the form that is sent to a server of many robots. It converts the server's answer to the
/// one that the robot would have sent.
struct FleetRequest: Hashable, Sendable {
  /// The request to the server of many robots.
  let request: MediaRequest
  /// True if the request continues a list after a page that came from the server. The robot does not know positions in
  /// the server's list.
  let goesOn: Bool
  /// The robot's name on the server of many robots.
  private let robot: String
  private let resource: Resource

  /// - Parameters:
  ///   - request: the request to the robot.
  ///   - robot: the robot's name on the server.
  /// - Returns: nil for what only the robot can answer or do: what it records now, its health, and what it protects.
  init?(_ request: MediaRequest, of robot: String) {
    guard request.method == .get, let resource = Self.resource(request.target) else { return nil }
    var goesOn = false
    let there: Resource
    switch resource {
    case .recordings(var query):
      query.robot = robot
      query.camera = query.camera.map { FleetName.camera($0, of: robot) }
      if let cursor = query.after, let theirs = Self.unmarked(cursor) { (query.after, goesOn) = (theirs, true) }
      there = .recordings(query)
    case .cameras(robot: nil): there = .cameras(robot: robot)
    case .recording(let name, let view):
      switch view {
      case .protection, .raw, .playlist, .mediaPlaylist, .keyFramePlaylist: return nil
      case .details, .movie, .index, .manifest, .keyFrame, .keyFrames, .clip: break
      }
      there = .recording(name: FleetName.recording(name, of: robot), view)
    case .camera(let name, let view):
      switch view {
      case .protection, .playlist(from: _, to: .now), .clip(from: _, to: .now): return nil
      case .timeline, .playlist, .clip: break
      }
      there = .camera(name: FleetName.camera(name, of: robot), view)
    // The server that listed a film's part knows its address.
    case .film: there = resource
    case .page, .health, .metrics, .cameras: return nil
    }
    var other = request
    other.target = there.target
    self.request = other
    self.goesOn = goesOn
    self.robot = robot
    self.resource = resource
  }

  private static func resource(_ target: String) -> Resource? {
    let parts = Array(target.utf8).split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    return try? Resource(path: parts[0], query: parts.count > 1 ? parts[1] : nil)
  }

  /// True if the answer to the request is a document that names recordings and cameras.
  var isDocument: Bool {
    switch resource {
    case .recordings, .cameras, .recording(_, .details), .camera(_, .timeline): true
    default: false
    }
  }

  // MARK: The answer

  /// Returns the document that the robot would have sent; nil if it names anything that is not this robot's.
  func document(_ json: JSONValue) -> JSONValue? {
    guard case .object(var members) = json else { return nil }
    // These are the server's name and zone, not the robot's.
    members["robot"] = nil
    switch resource {
    case .recording: return item(json)
    case .recordings:
      guard let items = json["recordings"]?.array else { return nil }
      let own = items.compactMap(item)
      guard own.count == items.count else { return nil }
      members["recordings"] = .array(own)
      if let next = json["next"]?.string { members["next"] = .string(Self.marked(ListCursor(text: next)).text) }
    case .cameras:
      guard let cameras = json["cameras"]?.array else { return nil }
      let own = cameras.compactMap(camera)
      guard own.count == cameras.count else { return nil }
      members["cameras"] = .array(own)
    case .camera:
      guard let name = json["camera"]?.string.flatMap(cameraName), let spans = json["spans"]?.array else { return nil }
      let own = spans.compactMap(span)
      guard own.count == spans.count else { return nil }
      members["camera"] = name
      members["spans"] = .array(own)
    default: return nil
    }
    return .object(members)
  }

  private func item(_ json: JSONValue) -> JSONValue? {
    guard case .object(var members) = json, let name = json["name"]?.string.flatMap(recordingName) else { return nil }
    members["name"] = .string(name)
    members["camera"] = json["camera"]?.string.flatMap(cameraName) ?? .null
    members["robot"] = nil
    let path = Self.path(FleetName.recording("", of: robot))
    for key in ["url", "versionedURL"] {
      guard let text = json[key]?.string, text.utf8.starts(with: path.utf8) else { continue }
      members[key] = .string(Self.path("") + String(Substring(text.utf8.dropFirst(path.utf8.count))))
    }
    return .object(members)
  }

  private static func path(_ name: String) -> String { "/recordings/\(PercentEncoding.encodePath(name))" }

  private func camera(_ json: JSONValue) -> JSONValue? {
    guard case .object(var members) = json, let name = json["name"]?.string.flatMap(cameraName) else { return nil }
    members["name"] = name
    members["robot"] = nil
    return .object(members)
  }

  private func span(_ json: JSONValue) -> JSONValue? {
    guard case .object(var members) = json else { return nil }
    guard let rows = json["recordings"]?.array else { return json }
    let own = rows.compactMap { row -> JSONValue? in
      guard var values = row.array, let name = values.first?.string.flatMap(recordingName) else { return nil }
      values[0] = .string(name)
      return .array(values)
    }
    guard own.count == rows.count else { return nil }
    members["recordings"] = .array(own)
    return .object(members)
  }

  private func recordingName(_ name: String) -> String? {
    Self.rest(of: name, behind: FleetName.recording("", of: robot))
  }

  /// Returns the name that the robot uses: null for the recordings without a camera, nil if the camera is not this
  /// robot's.
  private func cameraName(_ name: String) -> JSONValue? {
    Self.rest(of: name, behind: FleetName.camera(nil, of: robot)).map { $0.isEmpty ? .null : .string($0) }
  }

  private static func rest(of text: String, behind prefix: String) -> String? {
    guard text.utf8.starts(with: prefix.utf8) else { return nil }
    return String(Substring(text.utf8.dropFirst(prefix.utf8.count)))
  }

  // MARK: Cursors

  /// The prefix that marks a cursor as the server's. No path below a folder begins with it.
  private static let mark = "/"

  private static func marked(_ cursor: ListCursor) -> ListCursor {
    guard let place = cursor.place else { return cursor }
    return ListCursor(ListCursor.Place(startedAt: place.startedAt, path: mark + place.path))
  }

  /// Returns the server's cursor, without the mark; nil if the cursor has no mark, and so does not come from the
  /// server's list.
  private static func unmarked(_ cursor: ListCursor) -> ListCursor? {
    guard let place = cursor.place, let path = rest(of: place.path, behind: mark) else { return nil }
    return ListCursor(ListCursor.Place(startedAt: place.startedAt, path: path))
  }
}
