internal import CFootageLinux
internal import Glibc

/// The table of mounts, which also reports that it has changed (man 5 proc, `/proc/pid/mountinfo`).
package final class MountTable: Sendable {
  let descriptor: CInt

  /// - Returns: nil if the system does not provide it.
  package init?() {
    descriptor = unsafe clinux_openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY, 0)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Returns the lines, as the system writes them, of the mounts that contain a folder or lie below it. If two results
  /// are equal, nothing was mounted or unmounted there in between. Reads; does not wait.
  package func lines(around folder: String) -> [String] {
    let folder = Array(folder.utf8)
    return text().split(separator: UInt8(ascii: "\n")).compactMap { line in
      // The fifth field is the mount point, with blanks and similar characters as octal escapes.
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count > 4 else { return nil }
      let point = Self.unescaped(fields[4])
      return Self.contains(point, folder) || Self.contains(folder, point) ? String(decoding: line, as: UTF8.self) : nil
    }
  }

  /// The most bytes that are read, enough for about ten thousand mounts.
  private static let limit = 4 << 20

  private func text() -> [UInt8] {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while text.count < Self.limit {
      // Safe because the kernel writes at most the array's count.
      let count = unsafe pread(descriptor, &buffer, buffer.count, off_t(text.count))
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return text
  }

  private static func contains(_ folder: [UInt8], _ path: [UInt8]) -> Bool {
    folder == [UInt8(ascii: "/")] || path == folder
      || path.starts(with: folder) && path.dropFirst(folder.count).first == UInt8(ascii: "/")
  }

  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) else {
        bytes.append(byte)
        continue
      }
      bytes.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }))
      rest = rest.dropFirst(3)
    }
    return bytes
  }
}
