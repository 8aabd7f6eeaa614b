package import FootageBase

/// A recording as it is listed: an item of `GET /recordings`, and all of `NAME.json`.
package struct RecordingItem: Hashable, Sendable {
  package var name: String
  package var camera: String?
  package var state: RecordingState
  package var isRecovered: Bool
  /// In bytes.
  package var size: UInt64
  /// Strong, in quotes; nil unless ready.
  package var entityTag: String?
  /// Names it in the URLs of its film, and its version in others; nil where there is nothing to be played, and of an
  /// earlier robot.
  package var tag: FilmKey?
  /// Whether it grows, and can be watched while it does: its tag is an ID then.
  package var isLive: Bool
  package var startedAt: UnixTimestamp
  /// By what that is known: `layout`, `name`, `creation`, `file`, or what a later robot says; nil of an earlier one.
  package var startedFrom: String?
  /// Whether it begins ahead of the robot's clock.
  package var isInFuture: Bool
  /// In seconds.
  package var duration: Double?
  package var video: VideoFormat?
  package var audio: AudioFormat?
  /// Whether it is protected: the robot does not delete it to make room.
  package var isKept: Bool
  /// By how many seconds the times of its film are later than those of its presentation; nil where there is no film.
  package var shift: UInt32?
  /// The longest time from a key frame to the next, or to the end, in seconds; nil where nobody knows.
  package var keyInterval: Double?
  /// Where its bytes are; nil of a robot that keeps them nowhere but on its disk.
  package var place: Place?

  /// Where the bytes of a recording are: on the robot's disk, in its store, or both.
  package enum Place: String, Hashable, Sendable { case here, store, both }

  package init(
    name: String, camera: String?, state: RecordingState, isRecovered: Bool, size: UInt64, entityTag: String?,
    tag: FilmKey? = nil, isLive: Bool = false, startedAt: UnixTimestamp, startedFrom: String?, isInFuture: Bool,
    duration: Double?,
    video: VideoFormat?, audio: AudioFormat?,
    isKept: Bool = false, shift: UInt32? = nil, keyInterval: Double? = nil, place: Place? = nil
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
    self.isKept = isKept
    self.shift = shift
    self.keyInterval = keyInterval
    self.place = place
  }

  /// The moment when it ends, never before its start.
  package var end: UnixTimestamp {
    startedAt.advanced(byMilliseconds: RecordingFacts.milliseconds(ofSeconds: duration) ?? 0)
  }

  /// Where it is served.
  package var target: String { Resource.recording(name: name, .movie(version: nil)).target }

  /// Where this version of it is served, and no other ever will be; nil unless ready.
  package var versionedTarget: String? {
    guard case .ready = state, let entityTag else { return nil }
    return Resource.recording(name: name, .movie(version: VersionTag(entityTag: entityTag))).target
  }

  /// Where its film is served, as HLS; nil where there is none.
  package var filmTarget: String? {
    if case .ready = state, shift == nil { return nil }
    guard state == .ready || isLive else { return nil }
    return Resource.recording(name: name, .playlist).target
  }
}
