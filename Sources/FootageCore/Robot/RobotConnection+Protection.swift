internal import FootageAPI

/// The protection of recordings that the robot must not delete to make room, if this app's certificate gives the right
/// to it.
extension RobotConnection {
  /// Has the robot protect a recording. Doing so twice is harmless. Lists show the protection
  /// (`RobotRecording.isKeptByRobot`).
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError`: `.notAllowed` without the right `keep`; `.notFound`; `.notKept` if the robot has no place
  ///   to record the protection; `.notSupported` if the robot is too old to protect recordings.
  public func keep(_ name: String) async throws(RobotError) { try await change(name, .put) }

  /// Has the robot end the protection of a recording. It is not an error if the recording is not protected.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError`: `.notAllowed` without the right `release`; `.notFound`; `.notKept` if the recording stays
  ///   protected; `.notSupported` if the robot is too old to protect recordings.
  public func release(_ name: String) async throws(RobotError) { try await change(name, .delete) }

  private func change(_ name: String, _ method: MediaRequest.Method) async throws(RobotError) {
    var request = MediaRequest(Resource.recording(name: name, .protection).target)
    request.method = method
    try await requests.answered(request, name: name, accepting: [204]) { _ throws(RobotError) in }
  }
}
