public import CoreGraphics
public import FootageCore

extension Playback {
  /// Returns the picture at a moment, rotated as the recording specifies: the key frame that is shown then, or the last
  /// one before it. If the key frame is cached, no robot is needed.
  ///
  /// - Parameter seconds: the moment in the presentation, from 0 on; a moment beyond the end means the last key frame.
  /// - Throws: the errors of `keyFrame(at:)`; `.file` if the key frame cannot be written to a temporary file;
  ///   `.refused` with `RobotError.malformed` if it cannot be decoded.
  public func keyFrameImage(at seconds: Double) async throws(MediaCacheError) -> CGImage {
    let movie = try await keyFrame(at: seconds)
    do throws(KeyFrameImage.Failure) { return try await KeyFrameImage.decode(movie, of: key.name) } catch {
      switch error {
      case .file(let failure): throw .file(failure)
      case .malformed(let words): throw .refused(key, .malformed(words))
      }
    }
  }
}
