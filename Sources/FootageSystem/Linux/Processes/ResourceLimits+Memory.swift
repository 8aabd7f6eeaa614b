internal import CFootageLinux
internal import Glibc

extension ResourceLimits {
  /// The most memory in bytes that this process and the others in its control group may use together; nil if there is
  /// no limit, or none is reported. It is the lowest limit of the group and the groups above it (man 7 cgroups).
  package static var sharedMemory: UInt64? {
    let groups = lines(of: "/proc/self/cgroup").compactMap { line -> [String]? in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      return parts.count == 3 ? parts : nil
    }
    var limits: [UInt64] = []
    for group in groups {
      if group[1].isEmpty {
        limits += Self.limits("/sys/fs/cgroup", group[2], "memory.max")
      } else if group[1].split(separator: ",").contains("memory") {
        limits += Self.limits("/sys/fs/cgroup/memory", group[2], "memory.limit_in_bytes")
      }
    }
    return limits.min()
  }

  /// Returns the limits of a control group and of the groups above it.
  private static func limits(_ mount: String, _ group: String, _ file: String) -> [UInt64] {
    var limits: [UInt64] = []
    var parts = group.split(separator: "/")
    while true {
      let folder = ([mount] + parts.map(String.init)).joined(separator: "/")
      if let limit = lines(of: "\(folder)/\(file)").first.flatMap({ UInt64($0) }) { limits.append(limit) }
      guard parts.popLast() != nil else { return limits }
    }
  }

  /// Returns the lines of a small kernel file, which does not report its length; empty if it cannot be read.
  private static func lines(of path: String) -> [String] {
    let descriptor = unsafe clinux_openat(AT_FDCWD, path, O_RDONLY, 0)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    // Safe because the kernel writes at most the array's count.
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
