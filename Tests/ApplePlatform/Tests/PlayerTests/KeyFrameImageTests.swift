/// A key frame as a picture.
import AVFoundation
import FootageClient
import FootageClientTesting
import FootageCore
import Foundation
import Testing

@Suite struct KeyFrameImageTests {
  /// The matrices of ISO/IEC 14496-12 §8.3.2, row by row: unrotated, and rotated by a quarter turn.
  private static let upright: [UInt8] = matrix([1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30])
  private static let turned: [UInt8] = matrix([0, 1 << 16, 0, 0xFFFF_0000, 0, 0, 54 << 16, 0, 1 << 30])

  private static func matrix(_ values: [UInt32]) -> [UInt8] {
    values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
  }

  /// Returns the sample movie with another matrix in its tracks.
  private static func movie(_ matrix: [UInt8]) -> [UInt8] {
    var bytes = SampleMovie.bytes
    var index = 0
    while index + upright.count <= bytes.count {
      if bytes[index..<index + upright.count].elementsEqual(upright) {
        bytes.replaceSubrange(index..<index + upright.count, with: matrix)
      }
      index += 1
    }
    return bytes
  }

  /// Returns the names of the temporary files of samples that are being decoded.
  private static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
      .filter { $0.hasPrefix("footage-") && $0.hasSuffix(".mp4") }
  }

  @Test(arguments: [(upright, 96, 54), (turned, 54, 96)])
  func `a key frame is a picture, turned as its recorder says`(matrix: [UInt8], width: Int, height: Int) async throws {
    let scene = try PlayerScene(Self.movie(matrix))
    let image = try await scene.connection.keyFrameImage(of: PlayerScene.name, at: 5)
    #expect(image.width == width && image.height == height)
  }

  @Test func `a picture of what is on this device needs no robot`() async throws {
    let scene = try PlayerScene(Self.movie(Self.turned))
    let playback = try await scene.open()
    try await playback.download()
    scene.robot.isReachable = false
    let image = try await playback.keyFrameImage(at: 5)
    #expect(image.width == 54 && image.height == 96)
    // A track without a size makes no picture.
    let other = try PlayerScene(Self.movie([UInt8](repeating: 0, count: 36)))
    await #expect {
      _ = try await other.open().keyFrameImage(at: 5)
    } throws: { error in
      if case .refused(_, .malformed)? = error as? MediaCacheError { true } else { false }
    }
  }

  @Test func `what cannot be decoded is told, and leaves nothing behind`() async throws {
    // A track without a size makes no picture.
    let scene = try PlayerScene(Self.movie([UInt8](repeating: 0, count: 36)))
    await #expect {
      _ = try await scene.connection.keyFrameImage(of: PlayerScene.name, at: 5)
    } throws: { error in
      guard case .malformed(let words) = error as? RobotError else { return false }
      return words.hasPrefix("the picture of front/a b cannot be decoded")
    }
    try await eventually("the end of its files") { try Self.files().isEmpty }
  }

  @Test func `what has no picture is told as the robot tells it`() async throws {
    let scene = try PlayerScene(numbered(1_000))
    await #expect(throws: RobotError.self) {
      _ = try await scene.connection.keyFrameImage(of: PlayerScene.name, at: 5)
    }
  }
}
