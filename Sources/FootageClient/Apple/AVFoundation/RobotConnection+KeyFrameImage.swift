public import CoreGraphics
public import FootageCore

extension RobotConnection {
  /// Returns the picture at a moment of a recording, rotated as the recording specifies: the key frame that is shown at
  /// that moment, or else the last one before it.
  ///
  /// It is decoded on this device, from a few kB.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - seconds: a moment of the presentation, from 0 on; one beyond its end means the last key frame.
  ///   - entityTag: the wanted version, with its quotes; nil for the current one.
  /// - Throws: the errors of `keyFrame(of:at:version:)`; `.file` if the key frame cannot be written to a temporary
  ///   file; `.malformed` if it cannot be decoded.
  public func keyFrameImage(
    of name: String, at seconds: Double, version entityTag: String? = nil
  ) async throws(RobotError) -> CGImage {
    let movie = try await keyFrame(of: name, at: seconds, version: entityTag)
    do throws(KeyFrameImage.Failure) { return try await KeyFrameImage.decode(movie, of: name) } catch {
      switch error {
      case .file(let failure): throw .file(failure)
      case .malformed(let words): throw .malformed(words)
      }
    }
  }
}
