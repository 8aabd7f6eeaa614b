internal import AVFoundation
internal import CoreGraphics
internal import CoreMedia
internal import FootageCore
internal import Foundation

/// The picture from the MP4 of one key frame. It is decoded off the main actor.
enum KeyFrameImage {
  enum Failure: Error {
    /// The sample cannot be written to a temporary file on this device.
    case file(FileFailure)
    case malformed(String)
  }

  /// - Parameters:
  ///   - movie: an MP4 of one sample.
  ///   - name: the name of its recording.
  /// - Returns: the picture, rotated as the recording specifies.
  @concurrent
  static func decode(_ movie: [UInt8], of name: String) async throws(Failure) -> CGImage {
    let file = FileManager.default.temporaryDirectory.appending(path: "footage-\(UUID().uuidString).mp4")
    do { try Data(movie).write(to: file) } catch {
      throw .file(
        FileFailure(.other, "the picture cannot be written to a temporary file: \(error.localizedDescription)"))
    }
    defer { try? FileManager.default.removeItem(at: file) }
    let generator = AVAssetImageGenerator(asset: AVURLAsset(url: file))
    // The track's matrix says how the picture is turned.
    generator.appliesPreferredTrackTransform = true
    do { return try await generator.image(at: .zero).image } catch {
      throw .malformed("the picture of \(name) cannot be decoded: \(error.localizedDescription)")
    }
  }
}
