/// The rules by which files count as recordings, and the names of recordings.

/// The name of a recording: its path below the recordings folder without the extension. `RecordingNaming` reads camera
/// and time from it.
package struct RecordingName: Hashable, Sendable {
  package let text: String

  package enum Verdict: Hashable, Sendable {
    case recording(RecordingName)
    /// The file's extension is not that of a video.
    case other
    /// The file would be a video, but its name or that of a folder above it starts with a dot.
    case hidden
  }

  /// Classifies a path by its name alone.
  package static func of(_ path: RelativePath) -> Verdict {
    let bytes = Array(path.text.utf8)
    guard let extensionLength = extensionLength(bytes) else { return .other }
    if bytes.split(separator: UInt8(ascii: "/")).contains(where: { $0.first == UInt8(ascii: ".") }) { return .hidden }
    return .recording(RecordingName(text: String(decoding: bytes.dropLast(extensionLength), as: UTF8.self)))
  }

  /// Returns whether a name on disk, or its last part, ends with a video's extension.
  package static func isVideo(_ bytes: [UInt8]) -> Bool { extensionLength(bytes) != nil }

  /// Returns the length of the extension `.mp4`, `.m4v` or `.mov`, in any case, with the dot; nil for any other.
  private static func extensionLength(_ bytes: [UInt8]) -> Int? {
    let tail = bytes.suffix(4).map { $0 | 0x20 }
    guard tail.count == 4, bytes[bytes.count - 4] == UInt8(ascii: ".") else { return nil }
    return [".mp4", ".m4v", ".mov"].contains { tail[1...].elementsEqual($0.utf8.dropFirst()) } ? 4 : nil
  }
}
