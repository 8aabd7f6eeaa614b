public import FootageCore
internal import FootageBase

/// A recording of a robot in memory: what it lists, and the bytes that it serves.
public struct SampleRecording: Sendable {
  /// What the robot lists, but for size and tag, which are those of the bytes.
  public var listed: RobotRecording
  /// What it serves.
  public var bytes: [UInt8]

  /// Any recording with any bytes, which need not be a movie.
  public init(_ listed: RobotRecording, bytes: [UInt8]) {
    self.listed = listed
    self.bytes = bytes
  }

  /// One that plays: of eight seconds.
  ///
  /// - Parameters:
  ///   - name: `front/2026-11-20T10-15-30`: its camera is the first folder.
  ///   - startedAt: when it began.
  public init(_ name: String, startedAt: UnixTime) {
    let video = RobotRecording.Video(
      codec: SampleMovie.codec, width: SampleMovie.width, height: SampleMovie.height, frameRate: SampleMovie.frameRate)
    listed = RobotRecording(name: name, startedAt: startedAt, duration: SampleMovie.duration, video: video)
    listed.keyInterval = SampleMovie.keyInterval
    bytes = SampleMovie.bytes
  }

  /// Recordings of a camera that follow one another without a gap, the earliest first.
  ///
  /// - Parameters:
  ///   - camera: the folder that they are in.
  ///   - count: how many.
  ///   - start: when the first one begins.
  public static func row(ofCamera camera: String, count: Int, from start: UnixTime) -> [SampleRecording] {
    (0..<max(0, count)).map { number in
      let moment = UnixTime(
        seconds: start.seconds + Int64(number) * Int64(SampleMovie.duration), milliseconds: start.milliseconds)
      let name = CivilTime(unixSeconds: moment.seconds).rfc3339.filter { $0 != "Z" }.map { $0 == ":" ? "-" : $0 }
      return SampleRecording("\(camera)/\(String(name))", startedAt: moment)
    }
  }

  /// Strong, quotes included: it changes whenever the bytes do.
  public var entityTag: String { "\"\(Self.digest(of: bytes))\"" }

  /// 32 hexadecimal digits, as robots have them.
  static func digest(of bytes: [UInt8]) -> String {
    [UInt64(0xCBF2_9CE4_8422_2325), 0x6C62_272E_07BB_0142].map { seed in
      // FNV-1a: nobody has to be kept from making two of one digest here.
      let hash = bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      return Hexadecimal.encode((0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) })
    }.joined()
  }
}
