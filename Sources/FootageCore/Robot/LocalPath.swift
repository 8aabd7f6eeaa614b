internal import FootageBase

/// The path of a robot's recording below a folder of this machine. The name arrived over the network, and may contain
/// anything.
package enum LocalPath {
  /// Returns the relative path for a name: `front/2026-11-20T10-15-30.mp4`.
  ///
  /// - Returns: nil if the name would lead out of the folder, or to something hidden: if it has an empty part, a part
  ///   that begins with a dot, or a character that a terminal would obey.
  package static func relative(for name: String) -> String? {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ isHarmless($0) }) else { return nil }
    return "\(name).mp4"
  }

  private static func isHarmless(_ part: Substring.UTF8View) -> Bool {
    guard let first = part.first, first != UInt8(ascii: ".") else { return false }
    // With its extension, a part has to fit into the 255 bytes of a file name.
    return part.count <= 251 && Substring(part).unicodeScalars.allSatisfy { !TerminalControl.contains($0) }
  }
}
