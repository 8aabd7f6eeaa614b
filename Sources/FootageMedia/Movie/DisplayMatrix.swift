/// The matrix of `mvhd` or `tkhd` (ISO/IEC 14496-12 §8.2.2, §8.3.2), as far as it turns pictures.
struct DisplayMatrix: Sendable, Hashable {
  /// By how many quarters of a circle it turns them clockwise, 0 to 3; nil where it does something else to them:
  /// mirrors, scales or shears.
  let quarterTurns: Int?

  /// In 16.16 fixed point.
  private static let one: UInt32 = 0x0001_0000
  private static let minusOne: UInt32 = 0xFFFF_0000

  /// Reads nine numbers, {a, b, u, c, d, v, x, y, w}: a picture's (p, q), q downwards, goes to (ap + cq + x, bp + dq + y).
  /// Whereto it is moved says nothing of how it is turned.
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

  /// By how many degrees a player turns a track's pictures clockwise: 90, 180 or 270; nil where it does not, or does
  /// something else to them. The movie's matrix comes after the track's.
  static func rotation(track: DisplayMatrix, movie: DisplayMatrix) -> Int? {
    guard let first = track.quarterTurns, let second = movie.quarterTurns else { return nil }
    let turns = (first + second) % 4
    return turns == 0 ? nil : turns * 90
  }
}
