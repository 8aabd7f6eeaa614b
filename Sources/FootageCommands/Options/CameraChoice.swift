internal import FootageAPI
internal import FootageCore
internal import FootageBase

/// The camera that a command line names.
enum CameraChoice {
  /// - Parameters:
  ///   - camera: nil for all cameras, and empty for the recordings without a camera. Both always exist.
  ///   - cameras: the existing cameras.
  ///   - place: the place for the message, like ` on robot.local:8443`.
  /// - Throws: `.failed` if there is no such camera.
  static func expect(_ camera: String?, among cameras: [String?], _ place: String) throws(CommandFailure) {
    guard let camera, !camera.isEmpty, !cameras.contains(where: { ExactName($0) == ExactName(camera) }) else { return }
    throw .failed("there is no camera '\(camera)'\(place): footage list with --cameras shows all cameras")
  }

  /// Asks a robot whether the camera exists. Call this only if no recording was found, because a recording proves that
  /// its camera exists.
  static func expect(_ camera: String?, on access: RobotAccess) async throws(CommandFailure) {
    guard let camera, !camera.isEmpty else { return }
    let cameras: [String?]
    do throws(RobotError) { cameras = try await access.robot.cameras().map(\.name) } catch {
      guard case .notSupported = error else { throw .failed(access.words(for: error)) }
      // This robot has a version without lists of cameras.
      return Terminal.warn(
        "there is no recording of '\(camera)', and \(access.robot.address) cannot say whether it has that camera")
    }
    try expect(camera, among: cameras, " on \(access.robot.address)")
  }
}
