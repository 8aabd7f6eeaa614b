package import FootageAPI
package import FootageBase
internal import FootageMedia

extension VisibleRecordings {
  /// What there is of a camera over some time.
  ///
  /// Costs what it finds, and little for what else there is; thousands of recordings are not for an event loop.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - isWanted: recordings that are not are not there. A film and a clip want what plays.
  /// - Returns: nil where there is no such camera, or none that may be seen.
  package func timeline(
    ofCamera camera: String?, in range: Range<UnixTimestamp>, where isWanted: (Recording) -> Bool = { _ in true }
  ) -> Timeline<Recording>? {
    recordings(ofCamera: camera, reachingInto: range).map { found in
      Timeline(found.filter(isWanted).map(\.timelineEntry), in: range)
    }
  }

  /// The recordings of a camera that may show something of a time, in the order in which they begin. Costs as `timeline` does.
  ///
  /// - Parameter camera: nil for recordings without a camera.
  /// - Returns: nil where there is no such camera, or none that may be seen.
  package func recordings(ofCamera camera: String?, reachingInto range: Range<UnixTimestamp>) -> [Recording]? {
    guard let order = recordings(ofCamera: camera) else { return nil }
    var found: [Recording] = []
    order.walk(reachingInto: range) { found.append($0) }
    found.reverse()
    return found
  }

  /// When the last whole fragment ends of what a camera records now; nil where nothing of it grows by fragments.
  package func growingEnd(ofCamera camera: String?) -> UnixTimestamp? {
    guard let order = recordings(ofCamera: camera) else { return nil }
    var end: UnixTimestamp?
    // What grows began last, but for what begins in the future.
    var left = LibraryLimits.growingFiles
    order.walk(behind: nil) { recording in
      if let film = recording.film?.end { end = max(end ?? film, film) }
      left -= 1
      return end == nil && left > 0
    }
    return end
  }

  /// When a camera was recorded last before a time without footage, and next after it; each nil where it was not.
  ///
  /// - Parameters:
  ///   - range: in which nothing was recorded.
  ///   - isWanted: as in `timeline`.
  package func momentsAround(
    _ range: Range<UnixTimestamp>, ofCamera camera: String?, where isWanted: (Recording) -> Bool = { _ in true }
  ) -> (before: UnixTimestamp?, after: UnixTimestamp?) {
    guard let order = recordings(ofCamera: camera) else { return (nil, nil) }
    var (before, after): (UnixTimestamp?, UnixTimestamp?)
    // What began last may have ended before an older one; it is near enough.
    order.walk(behind: ChronologicalIndex.Position(startedAt: range.lowerBound, path: .root)) { recording in
      guard isWanted(recording) else { return true }
      before = recording.timelineEntry.to
      return false
    }
    let end = ChronologicalIndex.Position(startedAt: range.upperBound.advanced(byMilliseconds: -1), path: .root)
    order.walk(before: end) { recording in
      guard isWanted(recording) else { return true }
      after = recording.startedAt
      return false
    }
    return (before, after)
  }
}

extension Recording {
  /// The time that it covers, as far as is known: one that grows ends with its last whole fragment, or where
  /// it has none with its last write as of its last look, and so
  /// does a refused one, unless it was written to long after it began: then somebody has touched it since.
  package var timelineEntry: Timeline<Recording>.Entry {
    let end =
      switch state {
      case .refused:
        endsAt <= startedAt.advanced(byMilliseconds: LibraryLimits.longestRefusedMilliseconds) ? endsAt : startedAt
      case .ready: endsAt
      case .recording: film?.end ?? endsAt
      }
    return Timeline.Entry(self, from: startedAt, to: end)
  }

  /// How long one picture is shown, in the mean; 0 where nobody knows.
  package var frameMilliseconds: Int64 {
    guard let rate = video?.frameRate, rate >= 1 else { return 0 }
    return Int64(1_000 / rate + 0.5)
  }
}
