public import FootageCore
internal import FootageBase

/// A recording of a robot in memory: its entry in lists, and the bytes that the robot serves.
public struct SampleRecording: Sendable {
  /// The entry in the robot's lists. Its size and tag are replaced by those of the bytes.
  public var listed: RobotRecording
  /// The bytes that the robot serves.
  public var bytes: [UInt8]

  /// Creates a recording with any bytes, which need not be a movie.
  public init(_ listed: RobotRecording, bytes: [UInt8]) {
    self.listed = listed
    self.bytes = bytes
  }

  /// Creates a recording of eight seconds that can be played.
  ///
  /// - Parameters:
  ///   - name: a name such as `front/2026-11-20T10-15-30`, whose first folder is the camera.
  ///   - startedAt: the time when it began.
  public init(_ name: String, startedAt: UnixTime) {
    let video = RobotRecording.Video(
      codec: SampleMovie.codec, width: SampleMovie.width, height: SampleMovie.height, frameRate: SampleMovie.frameRate)
    listed = RobotRecording(name: name, startedAt: startedAt, duration: SampleMovie.duration, video: video)
    listed.keyInterval = SampleMovie.keyInterval
    bytes = SampleMovie.bytes
  }

  /// Returns consecutive recordings of a camera without gaps, the earliest first.
  ///
  /// - Parameters:
  ///   - camera: the folder that contains them.
  ///   - count: the number of recordings.
  ///   - start: the time when the first one begins.
  public static func row(ofCamera camera: String, count: Int, from start: UnixTime) -> [SampleRecording] {
    (0..<max(0, count)).map { number in
      let moment = UnixTime(
        seconds: start.seconds + Int64(number) * Int64(SampleMovie.duration), milliseconds: start.milliseconds)
      let name = CivilTime(unixSeconds: moment.seconds).rfc3339.filter { $0 != "Z" }.map { $0 == ":" ? "-" : $0 }
      return SampleRecording("\(camera)/\(String(name))", startedAt: moment)
    }
  }

  /// The strong entity tag, including its quotes. It changes whenever the bytes do.
  public var entityTag: String { "\"\(Self.digest(of: bytes))\"" }

  /// Returns a digest of 32 hexadecimal digits, as robots have them.
  static func digest(of bytes: [UInt8]) -> String {
    [UInt64(0xCBF2_9CE4_8422_2325), 0x6C62_272E_07BB_0142].map { seed in
      // FNV-1a is sufficient here, because no attacker has to be kept from producing collisions.
      let hash = bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      return Hexadecimal.encode((0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) })
    }.joined()
  }
}
