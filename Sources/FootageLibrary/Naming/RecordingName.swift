/// Which files are recordings, and what they are called.

/// The path below the recordings folder without its extension. What it tells of camera and time, `RecordingNaming`
/// reads.
package struct RecordingName: Hashable, Sendable {
  package let text: String

  package enum Verdict: Hashable, Sendable {
    case recording(RecordingName)
    /// Not a video by its extension.
    case other
    /// Would be a video, but its name starts with a dot or a folder's on the way does.
    case hidden
  }

  /// Judges a path by its name alone.
  package static func of(_ path: RelativePath) -> Verdict {
    let bytes = Array(path.text.utf8)
    guard let extensionLength = extensionLength(bytes) else { return .other }
    if bytes.split(separator: UInt8(ascii: "/")).contains(where: { $0.first == UInt8(ascii: ".") }) { return .hidden }
    return .recording(RecordingName(text: String(decoding: bytes.dropLast(extensionLength), as: UTF8.self)))
  }

  /// Whether the last part of a name on disk ends like a video's.
  package static func isVideo(_ bytes: [UInt8]) -> Bool { extensionLength(bytes) != nil }

  /// `.mp4`, `.m4v` or `.mov` in any case, with the dot.
  private static func extensionLength(_ bytes: [UInt8]) -> Int? {
    let tail = bytes.suffix(4).map { $0 | 0x20 }
    guard tail.count == 4, bytes[bytes.count - 4] == UInt8(ascii: ".") else { return nil }
    return [".mp4", ".m4v", ".mov"].contains { tail[1...].elementsEqual($0.utf8.dropFirst()) } ? 4 : nil
  }
}
