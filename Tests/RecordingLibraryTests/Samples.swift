/// Small recordings of every kind, made once by ffmpeg.

import Foundation
import TestSupport

enum Samples {
  /// Two seconds of H.264 and AAC, `moov` last: what most recorders write.
  static let moovLast = make("moov-last.mp4", [])
  static let moovFirst = make("moov-first.mp4", ["-movflags", "+faststart"])
  static let fragmented = make("fragmented.mp4", ["-movflags", "frag_keyframe+empty_moov+default_base_moof"])
  static let quickTime = make("quicktime.mov", [])
  static let dated = make("dated.mp4", ["-metadata", "creation_time=2024-02-03T04:05:06Z"])

  /// Of `moovLast`, another recording.
  static let other = make("other.mp4", [], colour: "blue")

  private static func make(_ name: String, _ options: [String], colour: String = "red") -> [UInt8] {
    do {
      let folder = try TemporaryFolder()
      let status = try run(
        "ffmpeg",
        [
          "-v", "error", "-f", "lavfi", "-i", "color=\(colour):size=64x48:rate=10:duration=2", "-f", "lavfi", "-i",
          "sine=frequency=440:sample_rate=48000:duration=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "5",
          "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "32k", "-shortest",
        ] + options + [folder.path(name)])
      if status == 0, let bytes = contents(folder.path(name)) { return bytes }
    } catch {
      fatalError("ffmpeg could not be run: \(error)")
    }
    fatalError("ffmpeg could not make \(name)")
  }
}

/// Runs a program to its end. - Returns: its exit status.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> Int32 {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.standardInput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  return process.terminationStatus
}

func contents(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

func put(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

func makeFolder(_ path: String) throws {
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}

/// Gives a file a modification time so many seconds from now.
func age(_ path: String, by seconds: Double) throws {
  try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path)
}

/// What goes wrong for anybody but root goes wrong for this thread too, while `body` runs.
func withoutPrivileges<Result>(_ body: () throws -> Result) rethrows -> Result {
  typealias SetUser = @convention(c) (UInt32) -> CInt
  guard let symbol = dlsym(nil, "setfsuid") else { fatalError("the C library has no setfsuid") }
  let setUser = unsafeBitCast(symbol, to: SetUser.self)
  let isRoot = geteuid() == 0
  if isRoot { _ = setUser(65_534) }
  defer { if isRoot { _ = setUser(0) } }
  return try body()
}
