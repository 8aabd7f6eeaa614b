package import FootageBase

/// The meaning of a target (RFC 9112 §3.2), both path *and* query, read once before any lookup.
///
/// Reading a target does no lookup: whether a recording exists is checked later. A name is looked up in the catalog and
/// never becomes a path.
package enum Resource: Hashable, Sendable {
  /// The page that shows the recordings.
  case page
  /// The health of the robot.
  ///
  /// - isLive: true if the client only asks whether the robot answers.
  case health(isLive: Bool)
  /// The counters, for Prometheus.
  case metrics
  /// The list of recordings.
  case recordings(ListQuery)
  /// The summary of each camera's recordings. If a server has several robots, the client may ask for the cameras of
  /// one.
  case cameras(robot: String? = nil)
  case recording(name: String, RecordingView)
  /// A view of everything that a camera recorded; without a name, of the recordings without a camera.
  case camera(name: String?, CameraView)
  /// A part of the film of a recording: `/hls/KEY/…`, `/hls/KEY/tN/…`, or `/hls/ID/…` while it grows. A folder such as
  /// `silent-aac/` may precede the part's name.
  case film(FilmAddress, FilmPart)
}

extension Resource {
  /// - Parameters:
  ///   - path: the path as in the request, still percent-encoded.
  ///   - query: the query without its `?`; nil if there is none.
  /// - Throws: `ResourceError`.
  package init(path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) throws(ResourceError) {
    let path = PercentEncoding.normalized(path)
    if path.elementsEqual("/".utf8) {
      self = .page
    } else if path.elementsEqual("/health".utf8) {
      // A probe is answered, whatever other parameters there are.
      self = .health(
        isLive: query?.split(separator: UInt8(ascii: "&")).contains { $0.elementsEqual("live".utf8) } ?? false)
    } else if path.elementsEqual("/metrics".utf8) {
      self = .metrics
    } else if path.elementsEqual(Self.recordingsPath.utf8) {
      self = .recordings(try ListQuery(try QueryParameters(query)))
    } else if path.elementsEqual(Self.camerasPath.utf8) {
      self = .cameras(robot: try QueryParameters(query)["robot"])
    } else if path.starts(with: "\(Self.camerasPath)/".utf8) {
      self = try Self.camera(path.dropFirst(Self.camerasPath.utf8.count + 1), query)
    } else if path.starts(with: "\(Self.recordingsPath)/".utf8) {
      self = try Self.recording(path.dropFirst(Self.recordingsPath.utf8.count + 1), query)
    } else if path.starts(with: "\(Self.filmsPath)/".utf8) {
      self = try Self.film(path.dropFirst(Self.filmsPath.utf8.count + 1), query)
    } else {
      throw .unknownPath
    }
  }

  private static let recordingsPath = "/recordings"
  private static let camerasPath = "/cameras"
  private static let filmsPath = "/\(FilmAddress.root)"

  /// Reads a path that mirrors the folder's tree. Its ending selects the view.
  private static func recording(
    _ encoded: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) throws(ResourceError) -> Resource {
    let (encodedName, view) = try RecordingView.read(encoded, query)
    // A name on a disk may contain any bytes.
    guard let bytes = PercentEncoding.decode(encodedName) else { throw .unknownPath }
    return .recording(name: NameBytes.text(bytes), view)
  }

  /// Reads the target of a camera, whose name contains no `/`. An empty name means the recordings without a camera.
  private static func camera(
    _ encoded: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) throws(ResourceError) -> Resource {
    guard let dot = encoded.lastIndex(of: UInt8(ascii: ".")),
      let bytes = PercentEncoding.decode(encoded[..<dot]), !bytes.contains(UInt8(ascii: "/"))
    else { throw .unknownPath }
    let name = NameBytes.text(bytes)
    return .camera(name: name.isEmpty ? nil : name, try CameraView(encoded[(dot + 1)...], query))
  }

  private static func film(
    _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) throws(ResourceError) -> Resource {
    guard let (address, part) = FilmAddress.read(path) else { throw .unknownPath }
    return .film(address, try FilmPart(part, query))
  }

  private static func query(ofRobot robot: String?) -> String {
    var query = QueryWriter()
    query.add("robot", robot)
    return query.text
  }

  /// The target as in a request: the path, and the query if there is one.
  package var target: String {
    switch self {
    case .page: "/"
    case .metrics: "/metrics"
    case .health(let isLive): isLive ? "/health?live" : "/health"
    case .recordings(let query): Self.recordingsPath + query.query
    case .cameras(let robot): Self.camerasPath + Self.query(ofRobot: robot)
    case .recording(let name, let view):
      "\(Self.recordingsPath)/\(PercentEncoding.encodeName(name))\(view.suffix(of: name))"
    case .camera(let name, let view): "\(Self.camerasPath)/\(PercentEncoding.encodeName(name ?? ""))\(view.suffix)"
    case .film(let address, let part): "/\(address.folder)\(part.suffix)"
    }
  }
}
