internal import FootageBase

/// The mending of durations that no recorder means, in the tables of a `moov`.
///
/// A negative duration sets the clock back, as some recorders write it: the samples after it become shorter until the
/// difference is used up, as FFmpeg does it. A wild duration, more than ten seconds and more than ten times that of any
/// other sample, becomes that of the sample before it, unless another track shows that it is meant. If another track
/// shows the end, the duration of a last sample is compared with the usual one alone, since there may be gaps. A
/// duration of more than a day becomes that of the sample before it, too.
struct MovieRepair {
  /// A run of samples with one duration, in the track's ticks.
  private struct Run {
    var count: Int
    var duration: Int64
  }

  /// The note about a movie whose durations are mended.
  static let note = "durations that are negative, or far longer than all others, are mended"

  private let movie: Movie
  /// The largest number of runs of a track whose durations are mended.
  private static let runLimit = 1 << 20
  /// The durations that replace those of a track, by the index of the track.
  private var durations: [Int: [Run]] = [:]

  /// - Returns: nil if there is nothing to mend.
  init?(_ movie: Movie) {
    self.movie = movie
    let suspects = movie.tracks.indices.filter {
      movie.tracks[$0].hasLongDuration && movie.tracks[$0].samples.timeToSample.count <= Self.runLimit
    }
    guard !suspects.isEmpty else { return nil }
    for index in suspects {
      var runs = Self.runs(of: movie.tracks[index].samples, in: movie.buffer)
      guard Self.mendNegative(&runs) else { continue }
      durations[index] = runs
    }
    for index in suspects where movie.tracks[index].isPictureOrSound { mendLong(index) }
    guard !durations.isEmpty else { return nil }
  }

  private static func runs(of samples: SampleTable, in buffer: BoxBuffer) -> [Run] {
    let raw = buffer.bytes.borrowedSpan
    var cursor = RunCursor(samples.timeToSample)
    var runs: [Run] = []
    var left = samples.count
    while left > 0, let run = cursor.run(in: raw) {
      let count = min(run.count, left)
      runs.append(Run(count: count, duration: Int64(Int32(bitPattern: run.value))))
      cursor.advance(by: count)
      left -= count
    }
    return runs
  }

  /// Spreads negative durations over the samples after them.
  ///
  /// - Returns: true if there were any.
  private static func mendNegative(_ runs: inout [Run]) -> Bool {
    guard runs.contains(where: { $0.duration < 0 }) else { return false }
    var written: Int64 = 0
    var meant: Int64 = 0
    for index in runs.indices {
      let count = Int64(runs[index].count)
      meant += runs[index].duration * count
      runs[index].duration = max(1, runs[index].duration)
      written += runs[index].duration * count
      guard written > meant else { continue }
      let shorter = min((written - meant) / count, runs[index].duration - 1)
      runs[index].duration -= shorter
      written -= shorter * count
    }
    return true
  }

  /// Mends the long durations of a track.
  private mutating func mendLong(_ index: Int) {
    let track = movie.tracks[index]
    var runs = durations[index] ?? Self.runs(of: track.samples, in: movie.buffer)
    guard let last = runs.indices.last else { return }
    let second = Int64(track.timescale)
    // The latest end of another track, in ticks of this one from its own beginning.
    let rest = movie.tracks.indices.filter { $0 != index && movie.tracks[$0].isPictureOrSound }
      .map {
        plausibleEnd(of: $0).rescaled(from: movie.tracks[$0].timescale, to: track.timescale)
          + wait(of: $0, in: track.timescale)
      }
      .max().map { $0 - wait(of: index, in: track.timescale) }
    func end(of runs: ArraySlice<Run>) -> Int64 { runs.reduce(0) { $0 + Int64($1.count) * $1.duration } }
    /// Returns true if a single sample lasts far longer than others do.
    func isWild(_ index: Int, beside others: Int64) -> Bool {
      let run = runs[index]
      return run.count == 1 && others > 0 && run.duration > 10 * second && run.duration > 10 * others
    }
    func longest(but excluded: Int) -> Int64 {
      runs.indices.filter { $0 != excluded }.map { runs[$0].duration }.max() ?? 0
    }
    var isMended = false
    // Where another track shows when the recording ends, a gap is no measure of the last sample.
    let usual = runs.dropLast().max { $0.count < $1.count }?.duration ?? 0
    if isWild(last, beside: rest == nil ? longest(but: last) : usual),
      (rest ?? 0) - end(of: runs[..<last]) < runs[last].duration / 10 * 9
    {
      runs[last].duration = runs[last - 1].duration
      isMended = true
    }
    if let wild = runs[..<last].indices.max(by: { runs[$0].duration < runs[$1].duration }),
      isWild(wild, beside: longest(but: wild)), let rest, rest > 0,
      end(of: runs[...]) - rest > runs[wild].duration / 10 * 9
    {
      runs[wild].duration = wild > 0 ? runs[wild - 1].duration : longest(but: wild)
      isMended = true
    }
    for run in runs.indices where runs[run].duration > Int64(FragmentClock.longestGapSeconds) * second {
      runs[run].duration = run > 0 ? runs[run - 1].duration : min(longest(but: run), second)
      isMended = true
    }
    if isMended { durations[index] = runs }
  }

  /// Returns how long a track waits before its first sample, in ticks of a timescale.
  private func wait(of index: Int, in timescale: UInt32) -> Int64 {
    Int64(clamping: movie.tracks[index].edits.leadingEmptyDuration).rescaled(
      from: movie.header.timescale, to: timescale)
  }

  /// Returns the sum of a track's durations, in its ticks. If its last sample alone has a long duration, that counts as
  /// nothing.
  private func plausibleEnd(of index: Int) -> Int64 {
    let track = movie.tracks[index]
    guard track.hasLongDuration else { return track.samples.decodingDuration }
    let runs = durations[index] ?? Self.runs(of: track.samples, in: movie.buffer)
    let isWild = runs.last.map { $0.count == 1 && $0.duration > 10 * Int64(track.timescale) } ?? false
    return (isWild ? runs.dropLast()[...] : runs[...]).reduce(Int64(0)) { $0 + Int64($1.count) * max(0, $1.duration) }
  }

  /// Returns the `moov` with the mended durations.
  func movieBox() throws(MP4Error) -> BoxBuffer {
    let tables = try movie.rewritten { (writer, index) throws(MP4Error) in
      guard let runs = durations[index] else { return false }
      let track = movie.tracks[index]
      try writer.track(
        track, movieDuration: 0, mediaDuration: runs.reduce(0) { $0 + UInt64($1.count) * UInt64(max(0, $1.duration)) },
        edits: { writer in if let edits = track.boxes.edits { writer.copy(edits) } },
        sampleTable: { (writer) throws(MP4Error) in
          for child in track.boxes.sampleTableChildren {
            if child.type == "stts" {
              writer.table("stts", Self.entries(runs), entrySize: 8)
            } else {
              writer.copy(child)
            }
          }
        })
      return true
    }
    // The durations of headers and edits depend on the new tables.
    let mended = try Movie(tables)
    return try mended.rewritten { (writer, index) throws(MP4Error) in
      guard durations[index] != nil, mended.tracks.count == movie.tracks.count else { return false }
      let track = mended.tracks[index]
      try writer.track(
        track, movieDuration: mended.presentationTicks(of: track),
        mediaDuration: UInt64(max(0, track.samples.decodingDuration)),
        edits: { writer in
          guard !track.edits.edits.isEmpty else { return }
          guard track.edits.mediaEdits.count == 1, let edit = track.edits.mediaEdits.first else {
            if let box = track.boxes.edits { writer.copy(box) }
            return
          }
          writer.editList(
            emptyDuration: track.edits.leadingEmptyDuration,
            duration: mended.shownTicks(of: track, edit), mediaTime: edit.mediaTime)
        },
        sampleTable: { writer in for child in track.boxes.sampleTableChildren { writer.copy(child) } })
      return true
    }
  }

  private static func entries(_ runs: [Run]) -> [UInt8] {
    var bytes: [UInt8] = []
    for run in runs {
      bytes.append(bigEndian: UInt32(clamping: run.count))
      bytes.append(bigEndian: UInt32(clamping: run.duration))
    }
    return bytes
  }
}

extension Movie {
  /// Returns the movie with mended durations, or nil if there is nothing to mend.
  func mended() throws(MP4Error) -> Movie? {
    guard let repair = MovieRepair(self) else { return nil }
    return try Movie(try repair.movieBox())
  }
}

extension Track {
  /// True if a sample has a duration of more than ten seconds, or a negative one.
  fileprivate var hasLongDuration: Bool { samples.longestDuration / 10 >= timescale }
}
