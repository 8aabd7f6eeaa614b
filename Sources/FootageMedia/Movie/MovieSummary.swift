package import FootageBase

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
