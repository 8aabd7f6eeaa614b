/// The format of a recording's video.
public struct VideoFormat: Hashable, Sendable {
  /// The codec as in the `codecs` parameter of RFC 6381: `avc1.64001F`, `hvc1.1.6.L93.B0`, else the sample entry's type.
  public var codec: String
  /// In pixels, after cropping.
  public var width: Int
  /// In pixels, after cropping.
  public var height: Int
  /// In frames a second, the mean over the recording; nil where it is not known.
  public var frameRate: Double?
  /// How far a player turns it clockwise, in degrees: 90, 180 or 270; nil where it does not, or does something else to it
  /// (`mvhd` and `tkhd`, ISO/IEC 14496-12 §8.3.2). Width and height are those before.
  public var rotation: Int?

  /// - Parameters:
  ///   - codec: RFC 6381: `avc1.64001F`.
  ///   - width: in pixels.
  ///   - height: in pixels.
  ///   - frameRate: in frames a second; nil where it is not known.
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
  /// As in the `codecs` parameter of RFC 6381: `mp4a.40.2`, `Opus`, else the sample entry's type.
  public var codec: String
  /// In Hz, as heard.
  public var sampleRate: Int
  /// How many.
  public var channels: Int

  /// - Parameters:
  ///   - codec: RFC 6381: `mp4a.40.2`.
  ///   - sampleRate: in Hz.
  ///   - channels: how many.
  public init(codec: String, sampleRate: Int, channels: Int) {
    self.codec = codec
    self.sampleRate = sampleRate
    self.channels = channels
  }
}
