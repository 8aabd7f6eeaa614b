public import CoreGraphics
public import FootageCore

extension Playback {
  /// Returns the picture at a moment, turned as its recorder says: the key frame that is shown then, or the last one
  /// before it. No robot is needed if that is cached.
  ///
  /// - Parameter seconds: the moment in the presentation, from 0 on; a moment beyond the end gives the last key frame.
  /// - Throws: as `keyFrame(at:)`; `.file` if this device cannot store the sample for a moment; `.refused` with
  ///   `RobotError.malformed` if it cannot be decoded.
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
