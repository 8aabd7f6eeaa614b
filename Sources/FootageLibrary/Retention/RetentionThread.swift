internal import FootageBase
internal import FootageSystem

/// Making room, on a thread of its own.
final class RetentionThread: Sendable {
  private let thread: Thread
  private let signal: StopSignal

  /// - Throws: `SystemError` where the system has no thread left.
  init(_ library: RetentionWorker.Library, rules: RetentionRules, _ signal: StopSignal) throws(SystemError) {
    self.signal = signal
    thread = try Thread.start("retention") {
      let worker = RetentionWorker(library, rules: rules)
      while !signal.isSet {
        signal.wait(for: worker.turn())
      }
    }
  }

  /// Ends it after the deletion that is under way, and waits. To be called once.
  func stop() {
    signal.set()
    thread.join()
  }
}

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
