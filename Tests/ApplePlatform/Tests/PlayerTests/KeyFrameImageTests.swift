/// A key frame as a picture.
import AVFoundation
import FootageAPI
import FootageAVFoundation
import FootageCore
import Foundation
import Synchronization
import Testing

@Suite struct KeyFrameImageTests {
  /// Of 640 by 360 pixels, its matrix as ISO/IEC 14496-12 §8.3.2 has it.
  private static func movie(matrix: [UInt32], samples: UInt32 = 1) -> [UInt8] {
    func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      number(UInt32(content.count + 8)) + Array(type.utf8) + content
    }
    let header = [UInt8](repeating: 0, count: 40) + matrix.flatMap(number) + number(640 << 16) + number(360 << 16)
    let sizes = number(0) + number(0) + number(samples) + (0..<samples).flatMap { _ in number(4) }
    let media = box("mdia", box("minf", box("stbl", box("stsz", sizes))))
    return box("ftyp", Array("isom".utf8) + number(0)) + box("moov", box("trak", box("tkhd", header) + media))
      + box("mdat", number(7))
  }

  private static let upright: [UInt32] = [1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30]
  /// By a quarter, clockwise: what the camera's top is points to the right.
  private static let turned: [UInt32] = [0, 1 << 16, 0, 0xFFFF_0000, 0, 0, 360 << 16, 0, 1 << 30]

  private static func scene(_ picture: [UInt8]) throws -> PlayerScene {
    let scene = try PlayerScene(numbered(1_000))
    scene.robot.state.withLock {
      $0.picture = (picture, "\"\(VersionTag.entityTag(of: "v1", view: "keyframe"))\"")
    }
    return scene
  }

  /// Of samples that are being decoded.
  private static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
      .filter { $0.hasPrefix("footage-") && $0.hasSuffix(".mp4") }
  }

  @Test(arguments: [(upright, 640, 360), (turned, 360, 640)])
  func `a key frame is a picture, turned as its recorder says`(matrix: [UInt32], width: Int, height: Int) async throws {
    let image = try await Self.scene(Self.movie(matrix: matrix)).connection.keyFrameImage(of: MemoryRobot.name, at: 5)
    #expect(image.width == width && image.height == height)
  }

  @Test func `what is no picture is told, and leaves nothing behind`() async throws {
    for picture in [numbered(5_000), Self.movie(matrix: Self.upright, samples: 2), []] {
      let scene = try Self.scene(picture)
      await #expect {
        _ = try await scene.connection.keyFrameImage(of: MemoryRobot.name, at: 5)
      } throws: { error in
        guard case .malformed(let words) = error as? RobotError else { return false }
        return words.hasPrefix("the picture of front/a b cannot be decoded")
      }
    }
    try await eventually("the end of its files") { try Self.files().isEmpty }
  }

  @Test func `a robot that makes no pictures is told to be older`() async throws {
    let scene = try PlayerScene(numbered(1_000))
    await #expect(throws: RobotError.notSupported("it makes no pictures of its recordings: update it")) {
      _ = try await scene.connection.keyFrameImage(of: MemoryRobot.name, at: 5)
    }
  }
}
