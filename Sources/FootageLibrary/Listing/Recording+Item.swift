package import FootageAPI
package import FootageBase
internal import FootageMedia

extension Recording {
  /// As it is listed.
  ///
  /// - Parameter now: what the future is marked by.
  package func item(at now: UnixTimestamp) -> RecordingItem {
    RecordingItem(
      name: name, camera: camera, state: listedState, isRecovered: isRecovered, size: size, entityTag: entityTag,
      tag: film?.id ?? versionTag.flatMap { FilmKey($0.text) }, isLive: film != nil,
      startedAt: startedAt, startedFrom: start.source.rawValue, isInFuture: isInFuture(at: now), duration: duration,
      video: video, audio: audio, isKept: isKept, shift: content?.index?.shift,
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

  /// What a query can ask of it.
  package var facts: RecordingFacts {
    RecordingFacts(
      robot: nil, camera: camera, startedAt: startedAt, state: listedState.filter, duration: duration)
  }
}
