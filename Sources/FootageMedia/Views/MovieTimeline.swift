package import FootageBase

/// Which bytes of a recording belong to which of its seconds, by its own sample tables.
///
/// Of a recording with its `moov` in front of its media, as Footage serves it. Resolved to about a second, so that it
/// is small for any length.
package struct MovieTimeline: Sendable {
  package enum Outcome: Sendable {
    case ready(MovieTimeline)
    /// These bytes have to be there first.
    case needs(Range<UInt64>)
    /// There is none: no `moov` in front, or one that is broken.
    case none
  }

  /// In seconds.
  package let duration: Double
  /// Of one slot, in seconds.
  private let slotLength: Double
  /// For each slot and track, from the first to the last byte of its samples; empty where it has none there.
  private var extents: [Range<UInt64>]
  private let trackCount: Int
  /// The end of `moov`, in bytes; 0 where nothing needs that, because there is an index.
  private let headEnd: UInt64
  /// For each slot, where the bytes of all until then end.
  private var ends: [UInt64] = []

  /// A day in seconds; longer recordings have longer slots.
  private static let maximumSlots = 86_400.0

  /// Reads the head of a recording of which not all may be there. May block.
  ///
  /// - Parameters:
  ///   - available: whether a range can be read.
  ///   - limit: where `moov` has to have ended, in bytes.
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

  /// By decoding times, which are within a few frames of when a sample is shown.
  private mutating func add(
    _ track: Track, _ column: Int, _ slotCount: Int, of movie: Movie
  ) throws(MP4Error) {
    let raw = movie.buffer.bytes.borrowedSpan
    // What comes before the first shown sample belongs to the first slot.
    let skipped = Double(track.edits.mediaEdits.first?.mediaTime ?? 0) / Double(track.timescale)
    let delay = Double(track.edits.leadingEmptyDuration) / Double(movie.header.timescale)
    var times = RunCursor(track.samples.timeToSample)
    var ticks: Int64 = 0
    try track.samples.forEachChunk(in: movie.buffer) { (_, chunk) throws(MP4Error) in
      var offset = chunk.offset
      for sample in chunk.firstSample..<(chunk.firstSample + chunk.sampleCount) {
        let seconds = Double(ticks) / Double(track.timescale) - skipped + delay
        let slot = Int(max(0, min(Double(slotCount - 1), seconds / slotLength)))
        let (end, overflow) = offset.addingReportingOverflow(UInt64(track.samples.size(ofSample: sample, in: raw)))
        guard !overflow else { return }
        extend(slot * trackCount + column, by: offset..<end)
        offset = end
        ticks += Int64(times.next(in: raw) ?? 0)
      }
    }
  }

  /// The same by the recording's sample index: then seconds can be played, as a film, without its `moov`. May block.
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

  /// Of an index that are read at once.
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

  /// The seconds that can be played with these bytes, in order; no two touch.
  ///
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

  /// How many bytes from the beginning the first seconds need, `moov` included.
  package func end(ofFirst seconds: Double) -> UInt64 { end(of: seconds, fromSlot: 0) }

  /// Up to which byte a player needs the recording that is to play so many seconds on from what it has read.
  ///
  /// - Parameter offset: what it has read up to.
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
