/// What a list of recordings says of one: when, how long, and what is in it.
package struct MovieSummary: Sendable, Equatable {
  /// Seconds since 1970-01-01T00:00:00Z; nil where `mvhd` says 0 (ISO/IEC 14496-12 §8.2.2).
  package var creationTime: Int64?
  /// Of the presentation, in seconds, with edit lists respected; 0 or more, finite.
  package var duration: Double
  /// The first video track's.
  package var video: VideoFormat?
  /// The first audio track's.
  package var audio: AudioFormat?

  package init(creationTime: Int64?, duration: Double, video: VideoFormat?, audio: AudioFormat?) {
    self.creationTime = creationTime
    self.duration = duration
    self.video = video
    self.audio = audio
  }
}

/// What a list says of a recording's pictures.
package struct VideoFormat: Sendable, Hashable {
  /// As in the `codecs` parameter of RFC 6381: `avc1.64001F`, `hvc1.1.6.L93.B0`, else the sample entry's type.
  package var codec: String
  /// In luma samples, after cropping.
  package var width: Int
  /// In luma samples, after cropping.
  package var height: Int
  /// Frames a second, the mean over the recording; nil where nothing tells.
  package var frameRate: Double?
  /// How far a player turns the pictures clockwise to show them upright, in degrees: 90, 180 or 270; nil where it does
  /// not, or does something else to them (`mvhd` and `tkhd`, ISO/IEC 14496-12 §8.3.2). Width and height are those
  /// before.
  package var rotation: Int?

  package init(codec: String, width: Int, height: Int, frameRate: Double?, rotation: Int? = nil) {
    self.codec = codec
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.rotation = rotation
  }
}

/// What a list says of a recording's sound.
package struct AudioFormat: Sendable, Hashable {
  /// As in the `codecs` parameter of RFC 6381: `mp4a.40.2`, `Opus`, else the sample entry's type.
  package var codec: String
  /// In hertz, as heard.
  package var sampleRate: Int
  package var channels: Int

  package init(codec: String, sampleRate: Int, channels: Int) {
    self.codec = codec
    self.sampleRate = sampleRate
    self.channels = channels
  }
}
