/// The rotation in the matrix of `mvhd` or `tkhd` (ISO/IEC 14496-12 §8.2.2, §8.3.2).
struct DisplayMatrix: Sendable, Hashable {
  /// The number of quarter turns clockwise, 0 to 3. It is nil if the matrix is not a pure rotation: if it mirrors,
  /// scales or shears pictures.
  let quarterTurns: Int?

  /// 1 in 16.16 fixed point.
  private static let one: UInt32 = 0x0001_0000
  private static let minusOne: UInt32 = 0xFFFF_0000

  /// Reads nine numbers, {a, b, u, c, d, v, x, y, w}. They map a picture's point (p, q), with q downwards, to (ap + cq
  /// + x, bp + dq + y). The translation has no effect on the rotation.
  init(_ fields: inout FieldReader) throws(MP4Error) {
    let (a, b, u) = (try fields.uint32(), try fields.uint32(), try fields.uint32())
    let (c, d, v) = (try fields.uint32(), try fields.uint32(), try fields.uint32())
    try fields.skip(12)
    guard u == 0, v == 0 else {
      quarterTurns = nil
      return
    }
    switch (a, b, c, d) {
    case (Self.one, 0, 0, Self.one): quarterTurns = 0
    case (0, Self.one, Self.minusOne, 0): quarterTurns = 1
    case (Self.minusOne, 0, 0, Self.minusOne): quarterTurns = 2
    case (0, Self.minusOne, Self.one, 0): quarterTurns = 3
    default: quarterTurns = nil
    }
  }

  /// Returns the angle by which a player rotates a track's pictures clockwise: 90, 180 or 270 degrees. It is nil if the
  /// player does not rotate them, or transforms them in another way. The movie's matrix is applied after the track's.
  static func rotation(track: DisplayMatrix, movie: DisplayMatrix) -> Int? {
    guard let first = track.quarterTurns, let second = movie.quarterTurns else { return nil }
    let turns = (first + second) % 4
    return turns == 0 ? nil : turns * 90
  }
}
