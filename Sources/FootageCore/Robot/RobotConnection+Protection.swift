internal import FootageAPI

/// Protecting what the robot must not delete to make room, where this app's certificate gives the right to.
extension RobotConnection {
  /// Has the robot protect a recording; to do so twice is fine. Lists show it then (`RobotRecording.isKeptByRobot`).
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError`: `.notAllowed` without the right `keep`; `.notFound`; `.notKept` where the robot can write it
  ///   down nowhere; `.notSupported` where the robot is older than this.
  public func keep(_ name: String) async throws(RobotError) { try await change(name, .put) }

  /// Has the robot give up a recording's protection; that it has none is fine.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError`: `.notAllowed` without the right `release`; `.notFound`; `.notKept` where it stays protected;
  ///   `.notSupported` where the robot is older than this.
  public func release(_ name: String) async throws(RobotError) { try await change(name, .delete) }

  private func change(_ name: String, _ method: MediaRequest.Method) async throws(RobotError) {
    var request = MediaRequest(Resource.recording(name: name, .protection).target)
    request.method = method
    try await requests.answered(request, name: name, accepting: [204]) { _ throws(RobotError) in }
  }
}
