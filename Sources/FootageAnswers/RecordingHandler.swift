internal import FootageAPI
package import FootageHTTP

/// Answers requests from a source. It first checks that the resource has the method, that the client has the right to
/// it, and that no page of another origin causes a costly request.
package struct RecordingHandler<Source: RecordingSource> {
  private let source: Source
  private let policy: CrossOriginPolicy?

  /// - Parameter policy: the other origins whose pages may read the answers; nil for none.
  package init(_ source: Source, _ policy: CrossOriginPolicy?) {
    self.source = source
    self.policy = policy
  }

  /// - Parameter asker: the client that sent the request with this head.
  package func answer(
    to head: RequestHead, of asker: Source.Asker
  ) async throws(Source.BodyFailure) -> HTTPResponse {
    let method = head.method
    if method == .other || method == .connect { return .document(HTTPProblem.unknownMethod.document) }
    let resource: Resource
    do throws(ResourceError) { resource = try Resource(path: head.path, query: head.query) } catch {
      if method == .get || method == .head { return .document(HTTPProblem(error).document) }
      return ResourceMethods.reading.refusal(of: head, policy)
    }
    guard resource.methods.contains(method), method != .options else {
      return resource.methods.refusal(of: head, policy)
    }
    guard !resource.isRefused(to: head, policy) else { return .document(HTTPProblem.foreignReader.document) }
    if !resource.methods.areSafe, let refusal = source.refusalOfChanges { return .document(refusal.document) }
    switch source.access(of: asker).verdict(on: resource, method: method) {
    case .shown where resource.methods.areSafe: return await show(resource, to: asker)
    case .shown: return try await source.change(resource, for: asker)
    case .notPermitted:
      let isThere = await source.has(resource, for: asker)
      return .document((isThere ? HTTPProblem.notPermitted : .noSuchRecording).document)
    case .absent: return .document(HTTPProblem.noSuchRecording.document)
    }
  }

  private func show(_ resource: Resource, to asker: Source.Asker) async -> HTTPResponse {
    switch resource {
    case .page: await source.page(for: asker)
    case .health(let isLive): await source.health(isLive: isLive, for: asker)
    case .metrics: await source.metrics(for: asker)
    case .recordings(let query): await source.list(query, for: asker)
    case .cameras(let robot): await source.cameras(ofRobot: robot, for: asker)
    // Protection is only changed, and never read.
    case .recording(_, .protection), .camera(_, .protection): .document(HTTPProblem.noSuchRecording.document)
    case .recording(let name, let view): await source.recording(name, view, for: asker)
    case .camera(let name, let view): await source.camera(name, view, for: asker)
    case .film(let key, let part): await source.film(key, part, for: asker)
    }
  }
}
