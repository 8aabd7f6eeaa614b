internal import FootageHTTP

/// What players are answered, whatever their connections are made of.
struct ProxyAnswers: Sendable {
  private let places: ProxiedPlaces

  init(_ places: ProxiedPlaces) { self.places = places }

  /// An app's own page that embeds a recording is at another port of this machine, in a file, or under a scheme of the
  /// app's, and so of another site to the browser: only `cross-origin` lets all of these show it, also where they
  /// isolate themselves. The token is what keeps other pages out; nothing here lets a script read what is shown.
  static let commonFields: StaticString =
    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: cross-origin\r\n"

  /// Why a request is not let in, by its host and its token, in this order: each costs more than the one before. Nil
  /// where it is.
  ///
  /// - Parameter port: that it came by.
  func refusal(of request: RequestHead, port: UInt16) -> HTTPDocument? {
    guard Self.isAddressed(request.authority, port: port) else { return Self.misdirected }
    return place(of: request) == nil ? Self.over : nil
  }

  /// What it has found a way to.
  func place(named request: RequestHead) -> (any ProxiedPlace)? { place(of: request)?.0 }

  /// The answer to a request that was let in.
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

  /// The answer where bytes cannot be had, and nothing has left yet.
  static func document(for error: ResponseBodyError) -> HTTPDocument {
    HTTPProblem(status: .badGateway, code: "robot", detail: error.description, fields: [("Retry-After", "5")]).document
  }

  /// `/TOKEN/…`, and what is behind that slash.
  private func place(of request: RequestHead) -> (any ProxiedPlace, path: ArraySlice<UInt8>)? {
    let parts = request.path.split(separator: UInt8(ascii: "/"), maxSplits: 1)
    guard parts.count == 2, let place = places[String(decoding: parts[0], as: UTF8.self)] else { return nil }
    return (place, parts[1])
  }

  /// A page's own name can be made to lead to this machine (DNS rebinding), and then its scripts may read what they
  /// get. A request of HTTP/1.0 may come without a name, and no browser sends such.
  private static func isAddressed(_ authority: ArraySlice<UInt8>?, port: UInt16) -> Bool {
    guard let authority else { return true }
    let text = String(decoding: authority, as: UTF8.self).lowercased()
    return text == "127.0.0.1:\(port)" || text == "localhost:\(port)"
  }

  private static let over =
    HTTPProblem.notFound("This playback is over: open the recording again.").document
  private static let misdirected = HTTPProblem(
    status: .misdirectedRequest, code: "misdirected",
    detail: "Nothing but 127.0.0.1 and localhost, with this port, is served here: use the URL as the app gives it."
  ).document
}
