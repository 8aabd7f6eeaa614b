internal import FootageAPI
internal import FootageSystem

extension RecordingLibrary {
  /// Returns a forecast of the room from the listed recordings, for a command that runs while the server does, under
  /// the server's rules. Blocks.
  ///
  /// - Returns: nil if there is no basis for a forecast.
  package func forecast() -> RoomForecast? {
    guard let space = try? place.folder(.root).space() else { return nil }
    let kept = RetentionRecord.read(at: place)?.keptFree
    return RoomForecast(
      of: snapshot.recordings.lazy.map { ($0.startedAt, $0.endsAt, $0.version.size) },
      room: space.freeBytes - min(space.freeBytes, kept ?? 0), isMadeRoom: kept != nil, now: now)
  }
}
