package import FootageBase

/// The bytes of a recording that belong to each of its seconds, according to its own sample tables.
///
/// The recording has its `moov` before its media, as Footage serves it. The resolution is about a second, so that a
/// timeline is small for a recording of any length.
package struct MovieTimeline: Sendable {
  package enum Outcome: Sendable {
    case ready(MovieTimeline)
    /// These bytes must be available before the timeline can be read.
    case needs(Range<UInt64>)
    /// There is no timeline, because no `moov` precedes the media, or the `moov` is broken.
    case none
  }

  /// The duration of the recording in seconds.
  package let duration: Double
  /// The length of one slot in seconds.
  private let slotLength: Double
  /// The range from the first to the last byte of the samples in each slot and track. It is empty if there are no
  /// samples.
  private var extents: [Range<UInt64>]
  private let trackCount: Int
  /// The end of `moov`, in bytes. It is 0 for a timeline from an index, which does not need `moov`.
  private let headEnd: UInt64
  /// For each slot, the end of the bytes that it and all earlier slots need.
  private var ends: [UInt64] = []

  /// The number of seconds in a day. Longer recordings have longer slots.
  private static let maximumSlots = 86_400.0

  /// Reads the head of a recording that may be available only in part. May block.
  ///
  /// - Parameters:
  ///   - available: returns true if a range can be read.
  ///   - limit: the offset at which `moov` must have ended, in bytes.
  package static func read(
    _ source: some ByteSource, available: (Range<UInt64>) -> Bool, limit: UInt64
  ) -> Outcome {
    switch MovieHead.find(in: source, available: available, limit: limit) {
    case .needs(let range): return .needs(range)
    case .none: return .none
    case .ready(let box):
      guard let bytes = try? source.bytes(at: box.offset, count: Int(box.size)),
        let movie = try? Movie(BoxBuffer(bytes, of: box)), let timeline = try? MovieTimeline(movie, headEnd: box.end)
      else { return .none }
      return .ready(timeline)
    }
  }

  private init(_ movie: Movie, headEnd: UInt64) throws(MP4Error) {
    let all = movie.tracks.filter { $0.samples.count > 0 }
    let media = all.filter { $0.handler == "vide" || $0.handler == "soun" }
    let tracks = Array((media.isEmpty ? all : media).prefix(8))
    duration = MovieSummary(movie.header, tracks: tracks.map { TrackSummary($0, in: movie) }).duration
    self.headEnd = headEnd
    slotLength = max(1, duration / Self.maximumSlots)
    trackCount = tracks.count
    let slotCount = Int(min(Self.maximumSlots, max(1, (duration / slotLength).rounded(.up))))
    extents = Array(repeating: 0..<0, count: slotCount * trackCount)
    for (column, track) in tracks.enumerated() { try add(track, column, slotCount, of: movie) }
    addEnds(slotCount)
  }

  /// Adds the samples of a track by their decoding times, which are within a few frames of the times at which samples
  /// are shown.
  private mutating func add(
    _ track: Track, _ column: Int, _ slotCount: Int, of movie: Movie
  ) throws(MP4Error) {
    let raw = movie.buffer.bytes.borrowedSpan
    // Samples before the first one that is shown belong to the first slot.
    let skipped = Double(track.edits.mediaEdits.first?.mediaTime ?? 0) / Double(track.timescale)
    let delay = Double(track.edits.leadingEmptyDuration) / Double(movie.header.timescale)
    var times = RunCursor(track.samples.timeToSample)
    var ticks: Int64 = 0
    func slot(of ticks: Int64) -> Int {
      let seconds = Double(ticks) / Double(track.timescale) - skipped + delay
      return Int(max(0, min(Double(slotCount - 1), seconds / slotLength)))
    }
    try track.samples.forEachChunk(in: movie.buffer) { (_, chunk) throws(MP4Error) in
      var offset = chunk.offset
      if track.samples.hasOneSize {
        // There may be billions of samples in a few chunks.
        let size = UInt64(track.samples.size(ofSample: chunk.firstSample, in: raw))
        let (length, overflow) = size.multipliedReportingOverflow(by: UInt64(chunk.sampleCount))
        let (end, overflowToo) = offset.addingReportingOverflow(length)
        guard !overflow, !overflowToo else { return }
        let first = slot(of: ticks)
        ticks += times.skip(chunk.sampleCount, in: raw)
        for slot in first...max(first, slot(of: ticks - 1)) { extend(slot * trackCount + column, by: offset..<end) }
        return
      }
      for sample in chunk.firstSample..<(chunk.firstSample + chunk.sampleCount) {
        let slot = slot(of: ticks)
        let (end, overflow) = offset.addingReportingOverflow(UInt64(track.samples.size(ofSample: sample, in: raw)))
        guard !overflow else { return }
        extend(slot * trackCount + column, by: offset..<end)
        offset = end
        ticks += Int64(times.next(in: raw) ?? 0)
      }
    }
  }

  /// Creates a timeline from the recording's sample index. A player then gets the recording as a film, for which the
  /// recording's `moov` is not needed. May block.
  ///
  /// - Throws: `SampleIndexError`.
  package init(_ index: SampleIndex, _ source: some ByteSource) throws(SampleIndexError) {
    let tracks = [index.leading, index.sound].compactMap { $0?.timing }
    duration = max(0, Double(index.end) / Double(index.leading.timing.timescale))
    headEnd = 0
    slotLength = max(1, duration / Self.maximumSlots)
    trackCount = tracks.count
    let slotCount = Int(min(Self.maximumSlots, max(1, (duration / slotLength).rounded(.up))))
    extents = Array(repeating: 0..<0, count: slotCount * trackCount)
    for first in stride(from: 0, to: index.blockCount, by: Self.blocksAtOnce) {
      for block in try index.blocks(first..<min(first + Self.blocksAtOnce, index.blockCount), source) {
        for (column, samples) in [block.leading, block.sound].prefix(trackCount).enumerated() {
          for sample in samples { add(sample, tracks[column], column, slotCount, index.places) }
        }
      }
    }
    addEnds(slotCount)
  }

  /// The number of an index's blocks that are read at once.
  private static let blocksAtOnce = 256

  private mutating func add(
    _ sample: IndexedSample, _ timing: TrackTiming, _ column: Int, _ slotCount: Int, _ places: ServedPlaces
  ) {
    guard sample.size > 0, let bytes = places.served(sample.bytes) else { return }
    let seconds = Double(timing.presentationTime(of: sample)) / Double(timing.timescale)
    let slot = Int(max(0, min(Double(slotCount - 1), seconds / slotLength)))
    extend(slot * trackCount + column, by: bytes)
  }

  private mutating func extend(_ index: Int, by bytes: Range<UInt64>) {
    let known = extents[index]
    extents[index] =
      known.isEmpty ? bytes : min(known.lowerBound, bytes.lowerBound)..<max(known.upperBound, bytes.upperBound)
  }

  private mutating func addEnds(_ slotCount: Int) {
    var end = headEnd
    for slot in 0..<slotCount {
      end = extents[(slot * trackCount)..<((slot + 1) * trackCount)].reduce(end) { max($0, $1.upperBound) }
      ends.append(end)
    }
  }

  /// Returns the seconds that can be played with these bytes, in order. No two ranges touch.
  package func seconds(of cached: RangeSet) -> [Range<Double>] {
    guard trackCount > 0, headEnd == 0 || cached.contains(0..<headEnd) else { return [] }
    var playable: [Range<Double>] = []
    for slot in 0..<(extents.count / trackCount) {
      let needed = extents[(slot * trackCount)..<((slot + 1) * trackCount)]
      guard needed.allSatisfy({ cached.contains($0) }) else { continue }
      let start = Double(slot) * slotLength
      let range = start..<max(start, min(duration, start + slotLength))
      if let last = playable.last, last.upperBound == range.lowerBound {
        playable[playable.count - 1] = last.lowerBound..<range.upperBound
      } else {
        playable.append(range)
      }
    }
    return playable.filter { !$0.isEmpty }
  }

  /// Returns the number of bytes from the beginning that the first seconds need, including `moov`.
  package func end(ofFirst seconds: Double) -> UInt64 { end(of: seconds, fromSlot: 0) }

  /// Returns the end of the bytes that a player needs in order to play this many seconds after the bytes that it has
  /// read.
  ///
  /// - Parameter offset: the end of the bytes that the player has read.
  package func end(ofNext seconds: Double, after offset: UInt64) -> UInt64 {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > offset { high = middle } else { low = middle + 1 }
    }
    return end(of: seconds, fromSlot: low)
  }

  private func end(of seconds: Double, fromSlot start: Int) -> UInt64 {
    let slots = (seconds / slotLength).rounded(.up)
    let wanted = slots > 0 ? Int(min(Double(ends.count - min(start, ends.count)), slots)) : 0
    return start + wanted == 0 ? headEnd : ends[min(start + wanted, ends.count) - 1]
  }
}
