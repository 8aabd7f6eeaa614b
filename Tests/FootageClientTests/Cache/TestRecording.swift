/// The smallest possible recording of one track, its index first.

enum TestRecording {
  typealias Bytes = [UInt8]

  /// Returns `seconds` samples of 100 bytes, one per second, after a `moov` that ends at `headEnd`.
  static func make(seconds: Int) -> (bytes: Bytes, headEnd: Int) {
    let headEnd = head(seconds: seconds, base: 0).count
    let media = testBytes(100 * seconds)
    return (head(seconds: seconds, base: headEnd + 8) + box("mdat", media), headEnd)
  }

  private static func head(seconds: Int, base: Int) -> Bytes {
    let tables =
      box("stsd", zeros(4), be32(1), box("mp4v", zeros(78))) + box("stts", zeros(4), be32(1), be32(seconds), be32(1000))
      + box("stsc", zeros(4), be32(1), be32(1), be32(1), be32(1))
      + box("stsz", zeros(4), be32(100), be32(seconds))
      + box("stco", zeros(4), be32(seconds), (0..<seconds).flatMap { be32(base + 100 * $0) })
    let media = box(
      "mdia", box("mdhd", zeros(12), be32(1000), be32(0), be32(0)),
      box("hdlr", zeros(8), Bytes("vide".utf8), zeros(13)), box("minf", box("stbl", tables)))
    let track = box("trak", box("tkhd", zeros(12), be32(1), zeros(68)), media)
    return box("ftyp", Bytes("isom".utf8), zeros(4))
      + box("moov", box("mvhd", zeros(12), be32(1000), be32(0), zeros(80)), track)
  }

  private static func be32(_ value: Int) -> Bytes {
    [24, 16, 8, 0].map { (shift: Int) in UInt8(truncatingIfNeeded: value >> shift) }
  }
  private static func zeros(_ count: Int) -> Bytes { Bytes(repeating: 0, count: count) }

  private static func box(_ type: String, _ parts: Bytes...) -> Bytes {
    let content = parts.flatMap { $0 }
    return be32(8 + content.count) + Bytes(type.utf8) + content
  }
}
