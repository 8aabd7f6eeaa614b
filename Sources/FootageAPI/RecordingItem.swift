package import FootageBase

/// A recording as lists show it: an item of `GET /recordings`, and the whole document `NAME.json`.
package struct RecordingItem: Hashable, Sendable {
  package var name: String
  package var camera: String?
  package var state: RecordingState
  package var isRecovered: Bool
  /// The size in bytes.
  package var size: UInt64
  /// The strong entity tag, in quotes; nil unless the recording is ready.
  package var entityTag: String?
  /// The tag that names the recording in the URLs of its film, and its version in other URLs; nil if there is nothing
  /// to play, or if an earlier version of the robot's program made the item.
  package var tag: ItemTag?
  /// True while the recording grows and can be watched already. Its `tag` is then the ID of the growing recording.
  package var isLive: Bool
  package var startedAt: UnixTimestamp
  /// The source of the start time: `layout`, `name`, `creation`, `file`, or a word that only later versions of the
  /// robot's program know; nil from earlier versions.
  package var startedFrom: String?
  /// True if the recording begins at a time that is in the future by the robot's clock.
  package var isInFuture: Bool
  /// The duration in seconds.
  package var duration: Double?
  package var video: VideoFormat?
  package var audio: AudioFormat?
  /// All video tracks, in the file's order; empty if there are none, or if an earlier version of the robot's program
  /// examined the recording.
  package var videoTracks: [VideoTrack]
  /// True if the recording is protected: the robot does not delete it to make room.
  package var isKept: Bool
  /// The number of seconds by which the times of the film are later than those of the presentation; nil if there is no
  /// film.
  package var shift: UInt32?
  /// The longest time from one key frame to the next, or to the end, in seconds; nil if unknown.
  package var keyInterval: Double?
  /// The places that hold the bytes; nil from a robot that keeps them only on its disk.
  package var place: Place?

  /// The places that hold the bytes of a recording: the robot's disk, its store, or both.
  package enum Place: String, Hashable, Sendable { case here, store, both }

  package init(
    name: String, camera: String?, state: RecordingState, isRecovered: Bool, size: UInt64, entityTag: String?,
    tag: ItemTag? = nil, isLive: Bool = false, startedAt: UnixTimestamp, startedFrom: String?, isInFuture: Bool,
    duration: Double?,
    video: VideoFormat?, audio: AudioFormat?,
    videoTracks: [VideoTrack] = [], isKept: Bool = false, shift: UInt32? = nil, keyInterval: Double? = nil,
    place: Place? = nil
  ) {
    self.name = name
    self.camera = camera
    self.state = state
    self.isRecovered = isRecovered
    self.size = size
    self.entityTag = entityTag
    self.tag = tag
    self.isLive = isLive
    self.startedAt = startedAt
    self.startedFrom = startedFrom
    self.isInFuture = isInFuture
    self.duration = duration
    self.video = video
    self.audio = audio
    self.videoTracks = videoTracks
    self.isKept = isKept
    self.shift = shift
    self.keyInterval = keyInterval
    self.place = place
  }

  /// The moment when the recording ends, never before its start.
  package var end: UnixTimestamp {
    startedAt.advanced(byMilliseconds: RecordingFacts.milliseconds(ofSeconds: duration) ?? 0)
  }

  /// The target at which the recording is served.
  package var target: String { Resource.recording(name: name, .movie(version: nil)).target }

  /// The target at which this version is served, and never any other version; nil unless the recording is ready.
  package var versionedTarget: String? {
    guard case .ready = state, let entityTag else { return nil }
    return Resource.recording(name: name, .movie(version: VersionTag(entityTag: entityTag))).target
  }

  /// Returns the address of the film that the recording has now; nil if there is nothing to play.
  ///
  /// - Parameter robot: the robot that made the recording, on a server of many robots; nil on a robot.
  package func filmAddress(of robot: String? = nil) -> FilmAddress? {
    if isLive { return tag.map { .growing($0) } }
    guard state == .ready, let entityTag else { return nil }
    return .version(FilmKey(ofRecording: name, entityTag: entityTag, robot: robot))
  }

  /// The target at which the film is served as HLS; nil if there is no film.
  package var filmTarget: String? {
    if case .ready = state, shift == nil { return nil }
    guard state == .ready || isLive else { return nil }
    return Resource.recording(name: name, .playlist()).target
  }
}
