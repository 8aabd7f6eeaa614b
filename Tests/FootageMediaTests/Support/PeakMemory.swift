/// The peak of this process's resident memory, as the kernel counts it (man 5 proc, `VmHWM`).
import Foundation

enum PeakMemory {
  struct Unreadable: Error {}

  /// True if the kernel counts it.
  static let isCounted = FileManager.default.fileExists(atPath: "/proc/self/clear_refs")

  /// Resets the peak.
  ///
  /// - Returns: the memory that is resident now, in bytes.
  static func restart() throws -> Int {
    try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    return try bytes()
  }

  /// Returns the peak since the last restart, in bytes.
  static func bytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw Unreadable() }
    return kilobytes * 1024
  }
}
