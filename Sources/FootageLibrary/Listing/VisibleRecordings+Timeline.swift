package import FootageAPI
package import FootageBase
internal import FootageMedia

extension VisibleRecordings {
  /// Returns the timeline of a camera for a range of time.
  ///
  /// The cost depends mainly on the number of recordings found. Do not call it for thousands of recordings on an event
  /// loop.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - isWanted: returns false for recordings to ignore; films and clips ignore those that cannot be played.
  /// - Returns: nil if there is no such camera, or it is not visible.
  package func timeline(
    ofCamera camera: String?, in range: Range<UnixTimestamp>, where isWanted: (Recording) -> Bool = { _ in true }
  ) -> Timeline<Recording>? {
    recordings(ofCamera: camera, reachingInto: range).map { found in
      Timeline(found.filter(isWanted).map(\.timelineEntry), in: range)
    }
  }

  /// Returns the recordings of a camera that may cover part of a range of time, in the order of their starts. The cost
  /// is that of `timeline`.
  ///
  /// - Parameter camera: nil for recordings without a camera.
  /// - Returns: nil if there is no such camera, or it is not visible.
  package func recordings(ofCamera camera: String?, reachingInto range: Range<UnixTimestamp>) -> [Recording]? {
    guard let order = recordings(ofCamera: camera) else { return nil }
    var found: [Recording] = []
    order.walk(reachingInto: range) { found.append($0) }
    found.reverse()
    return found
  }

  /// Returns the end of the last complete fragment that a camera has recorded; nil if none of its recordings grows by
  /// fragments.
  package func growingEnd(ofCamera camera: String?) -> UnixTimestamp? {
    guard let order = recordings(ofCamera: camera) else { return nil }
    var end: UnixTimestamp?
    // Growing recordings began last, except for those that begin in the future.
    var left = LibraryLimits.growingFiles
    order.walk(behind: nil) { recording in
      if let film = recording.film?.end { end = max(end ?? film, film) }
      left -= 1
      return end == nil && left > 0
    }
    return end
  }

  /// Returns the last moment with footage before a range of time without footage, and the next one after it; each nil
  /// if there is none.
  ///
  /// - Parameters:
  ///   - range: the range in which nothing was recorded.
  ///   - isWanted: returns false for recordings to ignore.
  package func momentsAround(
    _ range: Range<UnixTimestamp>, ofCamera camera: String?, where isWanted: (Recording) -> Bool = { _ in true }
  ) -> (before: UnixTimestamp?, after: UnixTimestamp?) {
    guard let order = recordings(ofCamera: camera) else { return (nil, nil) }
    var (before, after): (UnixTimestamp?, UnixTimestamp?)
    // The recording that began last may have ended before an older one; this is close enough.
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
  /// The time that the recording covers, if known. A growing recording ends with its last complete fragment. If it has
  /// none, it ends with its last write before it was last examined. A refused recording also ends with its last write;
  /// but if that was long after its start, the file must have been touched later, and its length counts as zero.
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

  /// The mean duration of a picture, in milliseconds; 0 if unknown.
  package var frameMilliseconds: Int64 {
    guard let rate = video?.frameRate, rate >= 1 else { return 0 }
    return Int64(1_000 / rate + 0.5)
  }
}
