internal import FootageBase

/// The description of spherical pictures beside a track, version 1: XML in a `uuid` box of the track.
///
/// Version 2 lies in the sample entry (`st3d`, `sv3d`).
enum SphericalVideo {
  private static let identifier: [UInt8] = [
    0xFF, 0xCC, 0x82, 0x63, 0xF8, 0x55, 0x4A, 0x93, 0x88, 0x14, 0x58, 0x7A, 0x02, 0x52, 0x1F, 0xDD,
  ]
  /// The largest description in bytes. A real one has a few hundred.
  private static let limit = 16 << 10

  /// Returns true if a box describes spherical pictures.
  static func isDescribed(by box: Box, in buffer: BoxBuffer) -> Bool {
    box.type == "uuid" && box.payload.count <= limit && buffer.bytes[box.payload].starts(with: identifier)
  }
}
