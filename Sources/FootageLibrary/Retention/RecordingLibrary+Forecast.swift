internal import FootageAPI
internal import FootageSystem

extension RecordingLibrary {
  /// How long the room lasts, by what is listed, for a command beside the server, whose rules it goes by. Blocks.
  ///
  /// - Returns: nil where nobody can tell.
  package func forecast() -> RoomForecast? {
    guard let space = try? place.folder(.root).space() else { return nil }
    let kept = RetentionRecord.read(at: place)?.keptFree
    return RoomForecast(
      of: snapshot.recordings.lazy.map { ($0.startedAt, $0.endsAt, $0.version.size) },
      room: space.freeBytes - min(space.freeBytes, kept ?? 0), isMadeRoom: kept != nil, now: now)
  }
}
