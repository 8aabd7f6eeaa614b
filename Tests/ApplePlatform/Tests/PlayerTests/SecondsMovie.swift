/// The smallest possible recording of one track with one sample per second, its tables first.
struct SecondsMovie {
  let bytes: [UInt8]
  /// The offset at which `moov` ends.
  let headEnd: Int

  init(seconds: Int, bytesPerSecond: Int) {
    headEnd = Self.head(seconds, bytesPerSecond, base: 0).count
    bytes =
      Self.head(seconds, bytesPerSecond, base: headEnd + 8) + Self.box("mdat", numbered(seconds * bytesPerSecond))
  }

  private static func head(_ seconds: Int, _ bytesPerSecond: Int, base: Int) -> [UInt8] {
    let tables =
      box("stsd", zeros(4), number(1), box("mp4v", zeros(78)))
      + box("stts", zeros(4), number(1), number(seconds), number(1000))
      + box("stsc", zeros(4), number(1), number(1), number(1), number(1))
      + box("stsz", zeros(4), number(bytesPerSecond), number(seconds))
      + box("stco", zeros(4), number(seconds), (0..<seconds).flatMap { number(base + bytesPerSecond * $0) })
    let media = box(
      "mdia", box("mdhd", zeros(12), number(1000), number(0), number(0)),
      box("hdlr", zeros(8), Array("vide".utf8), zeros(13)), box("minf", box("stbl", tables)))
    let track = box("trak", box("tkhd", zeros(12), number(1), zeros(68)), media)
    return box("ftyp", Array("isom".utf8), zeros(4))
      + box("moov", box("mvhd", zeros(12), number(1000), number(0), zeros(80)), track)
  }

  private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }
  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let content = parts.flatMap { $0 }
    return number(8 + content.count) + Array(type.utf8) + content
  }
}
