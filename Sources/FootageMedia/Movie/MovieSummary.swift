package import FootageBase

/// The facts about a recording for lists: its time, duration, and formats.
package struct MovieSummary: Sendable, Equatable {
  /// The creation time in seconds since 1970-01-01T00:00:00Z, or nil if `mvhd` has 0 (ISO/IEC 14496-12 §8.2.2).
  package var creationTime: Int64?
  /// The duration of the presentation in seconds, with edit lists applied. It is finite and not negative.
  package var duration: Double
  /// The format of the video track that films show.
  package var video: VideoFormat?
  /// The format of the first audio track.
  package var audio: AudioFormat?
  /// All video tracks, in the file's order, up to the limit of `VideoTrack.numbers`.
  package var videoTracks: [VideoTrack]

  package init(
    creationTime: Int64?, duration: Double, video: VideoFormat?, audio: AudioFormat?, videoTracks: [VideoTrack] = []
  ) {
    self.creationTime = creationTime
    self.duration = duration
    self.video = video
    self.audio = audio
    self.videoTracks = videoTracks
  }
}
