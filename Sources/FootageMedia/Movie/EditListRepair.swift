internal import FootageBase

/// The mending of edit lists that players read differently, in a `moov` with sample tables.
///
/// An edit may begin before the first picture is shown, because of that picture's composition offset. Some players then
/// show it at the beginning of the edit. So the time before it becomes an empty edit, and the edit begins with it. An
/// edit may also begin between two pictures: see `CutPicture`. Empty edits that no recorder means are left out, and so is
/// the time in which nothing is shown or heard yet: a recording begins with its first picture or sound.
struct EditListRepair {
  /// The changes to a track.
  private struct Change {
    var edits: [EditList.Edit]
    /// True if an edit begins before the first picture.
    var isLate: Bool
    /// The picture that comes later, and the number of ticks by which it does.
    var delay: (sample: Int, ticks: Int64)?
    /// The time at its beginning that is left out, in the new movie's ticks.
    private(set) var leftOut: UInt64 = 0

    init(edits: [EditList.Edit], isLate: Bool) {
      self.edits = edits
      self.isLate = isLate
    }

    /// The time in which nothing is shown or heard yet, in the new movie's ticks.
    var wait: UInt64 { EditList(edits: edits).leadingEmptyDuration }

    /// Leaves out at most so many ticks of that time.
    mutating func leaveOut(_ ticks: UInt64) {
      leftOut = min(ticks, wait)
      let rest = wait - leftOut
      edits = Array(edits.drop { $0.mediaTime < 0 })
      if rest > 0 { edits.insert(EditList.Edit(duration: rest, mediaTime: -1), at: 0) }
    }
  }

  private let movie: Movie
  /// The time at the beginning in which nothing is shown or heard yet, in the new movie's ticks.
  private var wait: UInt64 = 0
  /// The number by which the movie's timescale is multiplied.
  private var scale: UInt32 = 1
  /// The changes by the index of the track. Edits are in the new movie's ticks.
  private var changes: [Int: Change] = [:]

  /// The smallest timescale of a movie in which a beginning is exact enough. It is rounded by at most a millisecond.
  private static let leastTimescale: UInt32 = 500

  /// - Parameter kept: the IDs of the tracks that are served.
  /// - Returns: nil if there is nothing to mend.
  init?(_ movie: Movie, kept: Set<UInt32>) {
    self.movie = movie
    let late = movie.tracks.map { Self.isShownLate($0, in: movie) }
    if late.contains(true), movie.header.timescale < Self.leastTimescale {
      scale = (Self.leastTimescale + movie.header.timescale - 1) / movie.header.timescale
    }
    let made = movie.tracks.enumerated().map { (index, track) in
      var change = Change(edits: track.edits.edits.map { scaled($0) }, isLate: late[index])
      if change.isLate {
        change.edits = beginLater(change.edits, track)
      } else {
        change.delay = Self.delay(of: track, in: movie)
      }
      return change
    }
    // A timecode or a text that comes earlier stays beside its pictures.
    let waits = zip(movie.tracks, made).filter { $0.0.samples.count > 0 && kept.contains($0.0.id) }.map(\.1.wait)
    // Less than the duration of a picture is no reason to write tables anew.
    let least = waits.min() ?? 0
    wait = least > UInt64(movie.header.timescale * scale) / 25 ? least : 0
    for (index, track) in movie.tracks.enumerated() {
      var change = made[index]
      change.leaveOut(wait)
      if change.isLate || change.delay != nil || change.leftOut > 0 || scale != 1 || track.edits.isMended {
        changes[index] = change
      }
    }
    guard !changes.isEmpty else { return nil }
  }

  /// The note about the time that is left out; nil if it is less than a second.
  var note: String? { Movie.note(beginning: Int64(clamping: wait / UInt64(movie.header.timescale * scale))) }

  /// The only edit of a track that shows something, if nothing but empty edits come before it.
  private static func edit(of track: Track) -> EditList.Edit? {
    guard track.isPictureOrSound, track.samples.count > 0, track.edits.mediaEdits.count == 1,
      let last = track.edits.edits.last, last.mediaTime >= 0
    else { return nil }
    return last
  }

  /// Returns the earliest time at which a sample is shown, in the track's ticks.
  private static func firstTime(of track: Track, in movie: Movie) -> Int64 {
    guard track.samples.compositionOffsets != nil else { return 0 }
    let times = SampleTimes(track.samples, in: movie.buffer)
    guard let first = times.firstSample(shownAfter: .min, in: movie.buffer) else { return 0 }
    return times.mediaTime(of: first, in: movie.buffer)
  }

  private static func isShownLate(_ track: Track, in movie: Movie) -> Bool {
    guard let edit = edit(of: track) else { return false }
    return firstTime(of: track, in: movie) - edit.mediaTime > Int64(track.timescale) / 1_000
  }

  private func scaled(_ edit: EditList.Edit) -> EditList.Edit {
    EditList.Edit(duration: edit.duration.scaled(by: scale), mediaTime: edit.mediaTime)
  }

  /// Returns a track's edits, with the one that shows something beginning with the first picture.
  private func beginLater(_ edits: [EditList.Edit], _ track: Track) -> [EditList.Edit] {
    guard let shown = edits.last else { return edits }
    let first = Self.firstTime(of: track, in: movie)
    // Both are at most `Limits.ticks` from 0.
    let late = UInt64(max(0, first - shown.mediaTime)).rescaled(
      from: track.timescale, to: movie.header.timescale * scale, rounding: .toNearestOrAwayFromZero)
    let longest = UInt64(FragmentClock.longestGapSeconds) * UInt64(movie.header.timescale * scale)
    let empty = edits.dropLast().reduce(min(late, longest)) { min($0 + $1.duration, longest) }
    // An edit without a duration shows everything that follows.
    let duration = shown.duration > late ? shown.duration - late : min(shown.duration, 1)
    return [EditList.Edit(duration: empty, mediaTime: -1), EditList.Edit(duration: duration, mediaTime: first)]
      .filter { $0.mediaTime >= 0 || $0.duration > 0 }
  }

  /// Returns the picture that the beginning of the edit cuts, and the rest of the time before that beginning.
  private static func delay(of track: Track, in movie: Movie) -> (sample: Int, ticks: Int64)? {
    guard track.handler == "vide", let edit = edit(of: track), edit.mediaTime > 0 else { return nil }
    let times = SampleTimes(track.samples, in: movie.buffer)
    guard let sample = times.lastSample(shownAtOrBefore: edit.mediaTime, in: movie.buffer) else { return nil }
    let ticks = edit.mediaTime - times.mediaTime(of: sample, in: movie.buffer)
    return ticks > 0 && ticks <= CutPicture.longestDelay(in: track.timescale) ? (sample, ticks) : nil
  }

  /// Returns the `moov` with the mended edit lists.
  func movieBox() throws(MP4Error) -> BoxBuffer {
    try movie.rewritten(scale: scale, wait: wait) { (writer, index) throws(MP4Error) in
      guard let change = changes[index] else { return false }
      let track = movie.tracks[index]
      try writer.track(
        track,
        movieDuration: change.isLate
          ? change.edits.reduce(0) { min($0 + $1.duration, UInt64(Limits.ticks)) }
          : max(change.leftOut, movie.presentationTicks(of: track).scaled(by: scale)) - change.leftOut,
        mediaDuration: UInt64(max(0, track.samples.decodingDuration)),
        edits: { writer in if !change.edits.isEmpty { writer.editList(change.edits) } },
        sampleTable: { (writer) throws(MP4Error) in
          for child in track.boxes.sampleTableChildren {
            if child.type != "ctts" || change.delay == nil { writer.copy(child) }
            if child.type == "stts", let delay = change.delay { write(delay, of: track, with: &writer) }
          }
        })
      return true
    }
  }

  /// Writes the composition offsets with one picture that comes later.
  private func write(_ delay: (sample: Int, ticks: Int64), of track: Track, with writer: inout MovieWriter) {
    let raw = movie.buffer.bytes.borrowedSpan
    var cursor = track.samples.compositionOffsets.map { RunCursor($0) }
    var entries: [UInt8] = []
    var hasNegative = false
    var done = 0
    while done < track.samples.count {
      // Samples that no run counts have no offset.
      let run = cursor?.run(in: raw) ?? (track.samples.count - done, 0)
      let count = min(run.count, track.samples.count - done)
      for part in CutPicture.divide(done..<(done + count), run.value, at: delay.sample, by: delay.ticks) {
        if Int32(bitPattern: part.value) < 0 { hasNegative = true }
        entries.append(bigEndian: UInt32(clamping: part.count))
        entries.append(bigEndian: part.value)
      }
      cursor?.advance(by: count)
      done += count
    }
    writer.table("ctts", version: hasNegative ? 1 : 0, entries, entrySize: 8)
  }
}
