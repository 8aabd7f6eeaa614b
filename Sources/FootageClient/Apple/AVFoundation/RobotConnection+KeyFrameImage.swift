public import CoreGraphics
public import FootageCore

extension RobotConnection {
  /// The picture at a moment of a recording, turned as its recorder says: the key frame that is shown at that moment,
  /// or last before it.
  ///
  /// It is decoded on this device, out of a few kB.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - seconds: of the presentation, from 0 on; beyond its end it is the last key frame.
  ///   - entityTag: the version that is wanted, quotes included; nil for the one that is there.
  /// - Throws: as `keyFrame(of:at:version:)`; `.file` where this device cannot keep the sample for a moment;
  ///   `.malformed` where it cannot be decoded.
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
