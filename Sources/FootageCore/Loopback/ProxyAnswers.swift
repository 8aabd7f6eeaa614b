internal import FootageHTTP

/// The answers to players, independent of the kind of their connections.
struct ProxyAnswers: Sendable {
  private let places: ProxiedPlaces

  init(_ places: ProxiedPlaces) { self.places = places }

  /// The fields of every answer. To a browser, an app's own page that embeds a recording belongs to another site: it is
  /// at another port of this machine, in a file, or under a scheme of the app's. Only
  /// `Cross-Origin-Resource-Policy: cross-origin` lets all of these show the recording, even if they are cross-origin
  /// isolated. Other pages do not know the token, and no field lets a script read the recording.
  static let commonFields: StaticString =
    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: cross-origin\r\n"

  /// Returns the answer that refuses a request; nil if the request is accepted. It checks the host first and then the
  /// token, because checking the token costs more.
  ///
  /// - Parameter port: the port at which the request arrived.
  func refusal(of request: RequestHead, port: UInt16) -> HTTPDocument? {
    guard Self.isAddressed(request.authority, port: port) else { return Self.misdirected }
    return place(of: request) == nil ? Self.over : nil
  }

  /// Returns the place that a request is for.
  func place(named request: RequestHead) -> (any ProxiedPlace)? { place(of: request)?.0 }

  /// Returns the answer to an accepted request.
  func response(to request: RequestHead) async -> HTTPResponse {
    guard request.method == .get || request.method == .head else {
      return .document(HTTPProblem.methodNotAllowed("GET, HEAD").document)
    }
    guard let (place, path) = place(of: request) else { return .document(Self.over) }
    do throws(PlaybackViewError) {
      guard let body = try await place.body(of: path, request.query) else { return .document(Self.over) }
      return .representation(body)
    } catch {
      switch error {
      case .absent(let code, let detail):
        return .document(HTTPProblem(status: .notFound, code: code, detail: detail).document)
      case .malformed(let code, let detail):
        return .document(HTTPProblem(status: .badRequest, code: code, detail: detail).document)
      case .robot(let error): return .document(Self.document(for: .unreadable(error.description)))
      case .cache(let error): return .document(Self.document(for: .unreadable(error.description)))
      }
    }
  }

  /// Returns the answer if bytes are unavailable and nothing has been sent yet.
  static func document(for error: ResponseBodyError) -> HTTPDocument {
    HTTPProblem(status: .badGateway, code: "robot", detail: error.description, fields: [("Retry-After", "5")]).document
  }

  /// Returns the place that the token in `/TOKEN/…` refers to, and the path after the token's slash.
  private func place(of request: RequestHead) -> (any ProxiedPlace, path: ArraySlice<UInt8>)? {
    let parts = request.path.split(separator: UInt8(ascii: "/"), maxSplits: 1)
    guard parts.count == 2, let place = places[String(decoding: parts[0], as: UTF8.self)] else { return nil }
    return (place, parts[1])
  }

  /// Returns true if a request names this machine as its host. Otherwise a web page whose host name resolves to this
  /// machine (DNS rebinding) could let its scripts read the answers. An HTTP/1.0 request may lack the host, but no
  /// browser sends such a request.
  private static func isAddressed(_ authority: ArraySlice<UInt8>?, port: UInt16) -> Bool {
    guard let authority else { return true }
    let text = String(decoding: authority, as: UTF8.self).lowercased()
    return text == "127.0.0.1:\(port)" || text == "localhost:\(port)"
  }

  private static let over =
    HTTPProblem.notFound("This playback has ended: open the recording again.").document
  private static let misdirected = HTTPProblem(
    status: .misdirectedRequest, code: "misdirected",
    detail: "Only 127.0.0.1 and localhost with this port are served here: use the URL as the app provides it."
  ).document
}
