/// What a fragment's samples are like unless it says otherwise: `trex`.
///
/// ISO/IEC 14496-12 §8.8.3; `tfhd` may override each of them (§8.8.7).
struct FragmentDefaults: Hashable, Sendable {
  /// From 1, into `stsd`.
  var descriptionIndex: UInt32 = 1
  /// In the track's ticks.
  var duration: UInt32 = 0
  /// In bytes.
  var size: UInt32 = 0
  /// ISO/IEC 14496-12 §8.8.3.1.
  var flags: UInt32 = 0

  /// By track ID.
  static func all(in extends: Box, of buffer: BoxBuffer) throws(MP4Error) -> [UInt32: FragmentDefaults] {
    var defaults: [UInt32: FragmentDefaults] = [:]
    for box in try buffer.boxes(in: extends.payload, of: "moov/mvex") where box.type == "trex" {
      var fields = buffer.fields(of: box, in: "moov/mvex")
      try fields.skip(4)
      let track = try fields.uint32()
      guard defaults[track] == nil else { throw .duplicate(buffer.place(of: box, in: "moov/mvex")) }
      defaults[track] = FragmentDefaults(
        descriptionIndex: try fields.uint32(), duration: try fields.uint32(), size: try fields.uint32(),
        flags: try fields.uint32())
    }
    return defaults
  }
}
