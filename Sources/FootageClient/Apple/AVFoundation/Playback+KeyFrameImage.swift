public import CoreGraphics
public import FootageCore

extension Playback {
  /// The picture at a moment, turned as its recorder says: the key frame that is shown then, or last before it. It needs
  /// no robot where that is cached.
  ///
  /// - Parameter seconds: of the presentation, from 0 on; beyond its end it is the last key frame.
  /// - Throws: as `keyFrame(at:)`; `.file` where this device cannot keep the sample for a moment; `.refused` with
  ///   `RobotError.malformed` where it cannot be decoded.
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
