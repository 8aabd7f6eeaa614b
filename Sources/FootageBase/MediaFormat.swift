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
