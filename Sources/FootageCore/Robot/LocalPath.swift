internal import FootageBase

/// Where a robot's recording goes below a folder of ours: the name came over the network, and may be anything.
package enum LocalPath {
  /// `front/2026-11-20T10-15-30.mp4` for a name.
  ///
  /// - Returns: nil for a name that would lead out of the folder, or to something hidden: one with an empty part, one
  ///   that begins with a dot, or one with a character that a terminal would obey.
  package static func relative(for name: String) -> String? {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ isHarmless($0) }) else { return nil }
    return "\(name).mp4"
  }

  private static func isHarmless(_ part: Substring.UTF8View) -> Bool {
    guard let first = part.first, first != UInt8(ascii: ".") else { return false }
    // With its ending, a part has to fit into the 255 bytes of a file's name.
    return part.count <= 251 && Substring(part).unicodeScalars.allSatisfy { !TerminalControl.contains($0) }
  }
}
