internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// The size limit for a timeline document, in bytes.
  private static let documentLimit = 4 << 20

  /// Returns the robot's timeline of a camera for a time range, unchanged: a JSON document.
  package func timelineDocument(
    camera: String?, from: UnixTime, to: UnixTime
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
