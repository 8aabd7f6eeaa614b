/// The format of a recording's video.
public struct VideoFormat: Hashable, Sendable {
  /// The codec as in the `codecs` parameter of RFC 6381 (`avc1.64001F`, `hvc1.1.6.L93.B0`), else the sample entry's
  /// type.
  public var codec: String
  /// The width in pixels, after cropping and before rotation.
  public var width: Int
  /// The height in pixels, after cropping and before rotation.
  public var height: Int
  /// The mean number of frames per second over the recording; nil if it is unknown.
  public var frameRate: Double?
  /// The clockwise angle by which a player rotates the picture, in degrees: 90, 180 or 270. It is nil if the player
  /// does not rotate it, or transforms it in another way (`mvhd` and `tkhd`, ISO/IEC 14496-12 §8.3.2).
  public var rotation: Int?

  /// - Parameters:
  ///   - codec: as in RFC 6381: `avc1.64001F`.
  ///   - width: in pixels.
  ///   - height: in pixels.
  ///   - frameRate: in frames per second; nil if it is unknown.
  ///   - rotation: clockwise, in degrees: 90, 180 or 270; nil for none.
  public init(codec: String, width: Int, height: Int, frameRate: Double? = nil, rotation: Int? = nil) {
    self.codec = codec
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.rotation = rotation
  }
}

/// One of the video tracks of a recording.
public struct VideoTrack: Hashable, Sendable {
  /// The number of the track: 1 for the first video track in the file's order.
  public var number: Int
  /// The codec as in the `codecs` parameter of RFC 6381 (`avc1.64001F`, `hvc1.1.6.L93.B0`), else the sample entry's
  /// type.
  public var codec: String
  /// The width in pixels, after cropping and before rotation.
  public var width: Int
  /// The height in pixels, after cropping and before rotation.
  public var height: Int
  /// The number of frames per second while pictures come; nil if it is unknown.
  public var frameRate: Double?

  /// - Parameters:
  ///   - number: 1 for the first video track in the file's order.
  ///   - codec: as in RFC 6381: `avc1.64001F`.
  ///   - width: in pixels.
  ///   - height: in pixels.
  ///   - frameRate: in frames per second; nil if it is unknown.
  public init(number: Int, codec: String, width: Int, height: Int, frameRate: Double? = nil) {
    self.number = number
    self.codec = codec
    self.width = width
    self.height = height
    self.frameRate = frameRate
  }
}

extension VideoTrack {
  /// The numbers that tracks in lists and requests can have. A video track after the last of these is not listed.
  package static let numbers = 1...32

  /// Reads the decimal number of a track, without leading zeros, so that each track has only one spelling.
  ///
  /// - Returns: nil if the text is not a number in `numbers`.
  package static func number(_ text: some StringProtocol) -> Int? {
    let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isDigits, text.utf8.first != UInt8(ascii: "0"), let number = Int(text), numbers.contains(number) else {
      return nil
    }
    return number
  }
}

/// The format of a recording's sound.
public struct AudioFormat: Hashable, Sendable {
  /// The codec as in the `codecs` parameter of RFC 6381 (`mp4a.40.2`, `Opus`), else the sample entry's type.
  public var codec: String
  /// The sample rate of the decoded sound, in Hz.
  public var sampleRate: Int
  /// The number of channels.
  public var channels: Int

  /// - Parameters:
  ///   - codec: as in RFC 6381: `mp4a.40.2`.
  ///   - sampleRate: in Hz.
  ///   - channels: the number of channels.
  public init(codec: String, sampleRate: Int, channels: Int) {
    self.codec = codec
    self.sampleRate = sampleRate
    self.channels = channels
  }
}
