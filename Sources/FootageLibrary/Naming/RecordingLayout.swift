/// The operator's description of a recorder's file names (`--layout`).

internal import FootageBase

/// The reason why a layout is invalid.
package struct RecordingLayoutError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The patterns of a layout, one or several; the first that fits a name applies.
package struct RecordingLayout: Sendable {
  /// The result of matching a name against a layout.
  struct Match: Hashable, Sendable {
    let camera: ArraySlice<UInt8>?
    let time: NameTime
  }

  /// The text that the operator gave.
  package let text: String
  /// The zone of the times in the names, if it does not depend on the robot's own zone.
  let zone: TimeZoneRules?
  private let patterns: [LayoutPattern]

  /// Parses a pattern, for instance `{camera}/%Y-%m-%dT%H-%M-%S`, or the name of a preset.
  ///
  /// - Throws: `RecordingLayoutError`, which describes the problem.
  package init(_ text: String) throws(RecordingLayoutError) {
    self.text = text
    if let preset = Self.presets.first(where: { $0.name == text }) {
      var patterns: [LayoutPattern] = []
      for pattern in preset.patterns { patterns.append(try LayoutPattern(pattern)) }
      self.patterns = patterns
      zone = preset.zone
      return
    }
    let namesNothing = !text.utf8.contains(UInt8(ascii: "%")) && !text.utf8.contains(UInt8(ascii: "{"))
    guard !namesNothing else {
      throw RecordingLayoutError(
        "there is no layout '\(text)': use \(Self.presets.map(\.name).joined(separator: ", ")), or a pattern such as "
          + "{camera}/%Y-%m-%dT%H-%M-%S")
    }
    patterns = [try LayoutPattern(text)]
    zone = nil
  }

  /// Matches a name.
  ///
  /// - Returns: nil if no pattern fits.
  func match(_ name: [UInt8]) -> Match? {
    for pattern in patterns {
      if let match = pattern.match(name) { return match }
    }
    return nil
  }

  /// The layouts of well-known recorders.
  private static let presets: [(name: String, patterns: [String], zone: TimeZoneRules?)] = [
    ("frigate", ["%Y-%m-%d/%H/{camera}/%M.%S"], .utc),
    ("mediamtx", ["{camera}/%Y-%m-%d_%H-%M-%S-%f"], nil),
    ("viam", ["{camera}/%Y-%m-%d_%H-%M-%S", "{camera}/%s"], nil),
  ]
}
