internal import FootageAPI
internal import FootageCore
internal import FootageBase

/// The camera that a command line names.
enum CameraChoice {
  /// - Parameters:
  ///   - camera: nil for all, and empty for the recordings without one: both are always there.
  ///   - cameras: those that there are.
  ///   - place: where, for the words: ` on robot.local:8443`.
  /// - Throws: `.failed` where there is no such camera.
  static func expect(_ camera: String?, among cameras: [String?], _ place: String) throws(CommandFailure) {
    guard let camera, !camera.isEmpty, !cameras.contains(where: { ExactName($0) == ExactName(camera) }) else { return }
    throw .failed("there is no camera '\(camera)'\(place): footage list --cameras shows them")
  }

  /// The same of a robot, which is asked. To be called only where no recording was found: with one there is a camera.
  static func expect(_ camera: String?, on access: RobotAccess) async throws(CommandFailure) {
    guard let camera, !camera.isEmpty else { return }
    let cameras: [String?]
    do throws(RobotError) { cameras = try await access.robot.cameras().map(\.name) } catch {
      guard case .notSupported = error else { throw .failed(access.words(for: error)) }
      // A robot of before there were lists of cameras.
      return Terminal.warn(
        "there is no recording of '\(camera)', and \(access.robot.address) cannot say whether it has that camera")
    }
    try expect(camera, among: cameras, " on \(access.robot.address)")
  }
}
