/// The meaning of pictures' sample values as colors, according to a sequence parameter set. The code points are those
/// of Rec. ITU-T H.273 §8, which H.264 and HEVC share (Annex E of both).
package struct VideoColour: Hashable, Sendable, CustomStringConvertible {
  /// True if black is 0 and white the largest value. Otherwise black is above 0 and white below the largest value.
  package let isFullRange: Bool
  /// The color primaries: 2 means unspecified. The same holds for `transfer` and `matrix`.
  package let primaries: UInt8
  package let transfer: UInt8
  package let matrix: UInt8

  private static let unspecified: UInt8 = 2

  /// Reads `video_signal_type_present_flag` and the fields after it, which both codecs write in the same way.
  ///
  /// - Returns: nil if the bits end early. The inner value is nil if there is no color description.
  static func read(_ bits: inout BitReader) -> VideoColour?? {
    guard let isPresent = bits.bit() else { return nil }
    guard isPresent else { return .some(nil) }
    guard bits.skip(3) != nil, let isFullRange = bits.bit(), let isDescribed = bits.bit() else { return nil }
    guard isDescribed else {
      return VideoColour(
        isFullRange: isFullRange, primaries: unspecified, transfer: unspecified, matrix: unspecified)
    }
    guard let points = bits.bits(24) else { return nil }
    return VideoColour(
      isFullRange: isFullRange, primaries: UInt8(truncatingIfNeeded: points >> 16),
      transfer: UInt8(truncatingIfNeeded: points >> 8), matrix: UInt8(truncatingIfNeeded: points))
  }

  /// The description: `BT.709, limited range`. If primaries, transfer and matrix differ, it lists all three.
  package var description: String {
    let range = isFullRange ? "full range" : "limited range"
    let codes = [primaries, transfer, matrix]
    guard codes.contains(where: { $0 != Self.unspecified }) else { return range }
    let names = [
      Self.primaryNames[primaries] ?? Self.name(of: primaries),
      Self.transferNames[transfer] ?? Self.name(of: transfer),
      Self.matrixNames[matrix] ?? Self.name(of: matrix),
    ]
    return (Set(names).count == 1 ? names[0] : names.joined(separator: "/")) + ", " + range
  }

  private static func name(of code: UInt8) -> String { code == unspecified ? "?" : "\(code)" }

  /// The names of color primaries. This and the next two tables are Rec. ITU-T H.273 tables 2 to 4.
  private static let primaryNames: [UInt8: String] = [
    1: "BT.709", 4: "BT.470 M", 5: "BT.601", 6: "BT.601", 7: "SMPTE 240M", 8: "film", 9: "BT.2020", 10: "XYZ",
    11: "DCI-P3", 12: "Display P3", 22: "EBU 3213",
  ]
  private static let transferNames: [UInt8: String] = [
    1: "BT.709", 4: "gamma 2.2", 5: "gamma 2.8", 6: "BT.601", 7: "SMPTE 240M", 8: "linear", 13: "sRGB", 14: "BT.2020",
    15: "BT.2020", 16: "PQ", 18: "HLG",
  ]
  private static let matrixNames: [UInt8: String] = [
    0: "RGB", 1: "BT.709", 4: "FCC", 5: "BT.601", 6: "BT.601", 7: "SMPTE 240M", 8: "YCgCo", 9: "BT.2020",
    10: "BT.2020", 14: "ICtCp",
  ]
}
