/// The defaults for a fragment's samples: `trex`.
///
/// ISO/IEC 14496-12 §8.8.3. `tfhd` may override each of them (§8.8.7).
struct FragmentDefaults: Hashable, Sendable {
  /// The entry in `stsd`, from 1.
  var descriptionIndex: UInt32 = 1
  /// The duration of a sample in the track's ticks.
  var duration: UInt32 = 0
  /// The size of a sample in bytes.
  var size: UInt32 = 0
  /// The flags of a sample (ISO/IEC 14496-12 §8.8.3.1).
  var flags: UInt32 = 0

  /// Returns the defaults by track ID.
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
