/// A recorder at work, and its recording.
import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

/// A recorder at work, which writes a part of a file and keeps the file open.
final class GrowingRecorder {
  /// 26 s in fragments of half a second, with a key frame each second.
  static let source = Result {
    let folder = try TemporaryFolder()
    let path = folder.path("growing.mp4")
    let outcome = try Command(
      "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=20", "-f", "lavfi", "-i",
      "sine=r=48000", "-t", "26", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "20", "-pix_fmt",
      "yuv420p", "-c:a", "aac", "-movflags", "empty_moov+default_base_moof", "-frag_duration", "500000", path
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private let handle: FileHandle
  private let bytes: Data
  private var written = 0

  init(_ bytes: Data, to path: String) throws {
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    handle = try #require(FileHandle(forWritingAtPath: path))
    self.bytes = bytes
  }

  /// - Parameter share: the share of the whole, from the beginning.
  func write(upTo share: Double) throws {
    let end = Int(Double(bytes.count) * share)
    try handle.write(contentsOf: bytes[written..<end])
    written = end
  }

  func close() throws { try handle.close() }
}

extension Server {
  /// Waits until a recording is live.
  func liveID(of name: String) throws -> String {
    try eventually("\(name) to be live") {
      try item(name).flatMap { $0.item.isLive ? $0.item.tag?.text : nil }
    }
  }
}
