package import FootageAPI
package import FootageBase
internal import FootageMedia

extension Recording {
  /// Returns the recording's item in the list.
  ///
  /// - Parameter now: the present; a start ahead of it is marked as in the future.
  package func item(at now: UnixTimestamp) -> RecordingItem {
    RecordingItem(
      name: name, camera: camera, state: listedState, isRecovered: isRecovered, size: size, entityTag: entityTag,
      tag: film?.id ?? versionTag.flatMap { ItemTag($0.text) }, isLive: film != nil,
      startedAt: startedAt, startedFrom: start.source.rawValue, isInFuture: isInFuture(at: now), duration: duration,
      video: video, audio: audio, videoTracks: videoTracks, isKept: isKept, shift: content?.index?.shift,
      keyInterval: content?.index?.keyInterval,
      place: whereabouts.item)
  }

  private var listedState: RecordingState {
    switch state {
    case .ready: .ready
    case .recording: .recording
    case .refused(let reason, _): .refused(reason)
    }
  }

  /// The facts by which a query selects the recording.
  package var facts: RecordingFacts {
    RecordingFacts(
      robot: nil, camera: camera, startedAt: startedAt, state: listedState.filter, duration: duration)
  }
}
