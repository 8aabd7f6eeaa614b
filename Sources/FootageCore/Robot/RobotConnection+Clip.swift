internal import FootageAPI
internal import Formats

extension RobotConnection {
  /// Of the document that says what there is of a time, in bytes.
  private static let documentLimit = 4 << 20

  /// Fetches what a camera recorded over some time into a file, as one MP4 that is exact to the picture. What breaks off
  /// goes on where it was, as with ``download(_:to:onProgress:)-(_,String,_)``.
  ///
  /// - Parameters:
  ///   - camera: as `cameras()` names it; nil for the recordings without a camera.
  ///   - from: the beginning of the time.
  ///   - to: its end, behind the beginning and not ahead of the robot's clock; not included. Two hours later at most.
  ///   - path: of the file, in a folder that exists.
  ///   - onProgress: called about ten times a second while bytes come, and at the end, from any thread.
  /// - Returns: what the file holds now.
  /// - Throws: `RobotError`: `.notFound` with the code `no-footage`, and the nearest moments in words, where nothing was
  ///   recorded then; `.notMade` where it would be too long, or its recordings have different formats;
  ///   `.notSupported` where the robot is older than this; and what ``download(_:to:onProgress:)-(_,String,_)`` throws.
  @discardableResult
  public func downloadClip(
    ofCamera camera: String?, from: UnixTime, to: UnixTime, to path: String,
    onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(RobotError) -> DownloadedRecording {
    guard from < to else { throw .malformed("a time from \(from) to \(to) has nothing in it") }
    let view = CameraView.clip(from: UnixTimestamp(from), to: .at(UnixTimestamp(to)))
    let subject = FetchSubject.view(
      target: Resource.camera(name: camera, view).target, called: camera ?? "the recordings without a camera")
    do throws(RobotError) {
      return try await Download(requests, subject, to: path, onProgress).run()
    } catch {
      guard case .notFound(_, code: ProblemCode.notFound.rawValue, _) = error else { throw error }
      // An earlier robot has no clips, and says so in the same words.
      if try await cameras().contains(where: { $0.name.map { Array($0.utf8) } == camera.map { Array($0.utf8) } }) {
        throw .notSupported("it makes no clips of a camera: update it")
      }
      throw error
    }
  }

  /// What the robot says of a camera over some time, as it says it: a JSON document.
  package func timelineDocument(
    of camera: String?, from: UnixTime, to: UnixTime
  ) async throws(RobotError) -> [UInt8] {
    let name = camera ?? "recordings without a camera"
    let query = TimelineQuery(from: UnixTimestamp(from), to: UnixTimestamp(to))
    let target = Resource.camera(name: camera, .timeline(query)).target
    return try await requests.answered(MediaRequest(target), name: name, accepting: [200]) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      return try await RobotRequests.document(response, limit: Self.documentLimit)
    }
  }
}
