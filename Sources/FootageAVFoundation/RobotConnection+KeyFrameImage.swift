#if canImport(AVFoundation)
internal import AVFoundation
public import CoreGraphics
internal import CoreMedia
public import FootageCore
internal import Foundation

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
    let file = FileManager.default.temporaryDirectory.appending(path: "footage-\(UUID().uuidString).mp4")
    do { try Data(movie).write(to: file) } catch {
      throw .file(FileFailure(.other, "a picture cannot be decoded: \(error.localizedDescription)"))
    }
    defer { try? FileManager.default.removeItem(at: file) }
    let generator = AVAssetImageGenerator(asset: AVURLAsset(url: file))
    // As the track's matrix says.
    generator.appliesPreferredTrackTransform = true
    do { return try await generator.image(at: .zero).image } catch {
      throw .malformed("the picture of \(name) cannot be decoded: \(error.localizedDescription)")
    }
  }
}
#endif
