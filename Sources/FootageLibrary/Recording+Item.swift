package import FootageAPI
package import FootageBase
internal import FootageMedia

extension Recording {
  /// As it is listed.
  ///
  /// - Parameter now: what the future is marked by.
  package func item(at now: UnixTimestamp) -> RecordingItem {
    let state: RecordingItem.State =
      switch state {
      case .ready: .ready
      case .recording: .recording
      case .refused(let reason, _): .refused(reason)
      }
    return RecordingItem(
      name: name, camera: camera, state: state, isRecovered: isRecovered, size: size, entityTag: entityTag,
      tag: film?.id ?? versionTag.flatMap { FilmKey($0.text) }, isLive: film != nil,
      startedAt: startedAt, startedFrom: start.source.rawValue, isInFuture: isInFuture(at: now), duration: duration,
      video: video.map {
        RecordingItem.Video(
          codec: $0.codec, width: $0.width, height: $0.height, frameRate: $0.frameRate, rotation: $0.rotation)
      },
      audio: audio.map {
        RecordingItem.Audio(codec: $0.codec, sampleRate: $0.sampleRate, channels: $0.channels)
      }, isKept: isKept, shift: content?.index?.shift, keyInterval: content?.index?.keyInterval,
      place: whereabouts.item)
  }
}
