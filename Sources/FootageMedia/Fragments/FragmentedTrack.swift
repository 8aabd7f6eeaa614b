internal import FootageBase

/// A track's samples and times, built from fragments as they are added.
struct FragmentedTrack {
  private let handler: FourCharacterCode
  /// The number of ticks a second. It becomes smaller at the end if a gap does not fit into 32 bits otherwise.
  private(set) var timescale: UInt32
  /// The sample table. Its chunk offsets count from the start of the body. The offset of a chunk without bytes may lie
  /// beyond the end of the body.
  private(set) var samples = SampleTableBuilder()

  /// The range of the first key frame from the start of the body. It is nil before there is one, or if the samples of
  /// `moov` have no bytes in the body.
  private var firstKeyFrame: Range<UInt64>?
  private var firstSample: Range<UInt64>?

  /// The duration of the last sample. It becomes an entry when the next sample's time is known.
  private var pendingDuration: Int64?
  private var lastOffset: Int64 = 0
  /// The decoding time of the first sample, in ticks.
  private(set) var firstTime: Int64 = 0
  /// The sum of all durations before the last sample, in ticks.
  private var settledDuration: Int64 = 0
  /// The latest end of a sample before the last one in presentation order, and the earliest beginning of any sample, in
  /// ticks from the first sample's decoding time.
  private var settledEnd = Int64.min
  private(set) var compositionStart = Int64.max

  init(_ track: Track) {
    handler = track.handler
    timescale = track.timescale
  }

  /// The sum of all durations, in ticks.
  var decodingDuration: Int64 { settledDuration + (pendingDuration ?? 0) }
  /// The latest end of a sample in presentation order, in ticks from the first sample's decoding time.
  var compositionEnd: Int64 { max(settledEnd, decodingDuration + lastOffset) }
  /// The range of the first key frame, and then that of the first sample if it is a different one, from the start of
  /// the body.
  var placesOfFirstKeyFrame: [Range<UInt64>] {
    [firstKeyFrame, firstSample == firstKeyFrame ? nil : firstSample].compactMap(\.self)
  }

  /// - Parameters:
  ///   - offset: the offset of the data from the start of the body.
  ///   - clock: the track's clock.
  mutating func append(_ run: TrackRun, at offset: UInt64, in buffer: BoxBuffer, _ clock: inout FragmentTimes) {
    guard run.count > 0 else { return }
    if let longer = clock.seek(to: run.decodeTime) { pendingDuration = longer }
    if samples.sampleCount == 0 { firstTime = clock.first }
    samples.beginChunk(at: offset, sampleCount: UInt32(run.count), descriptionIndex: run.descriptionIndex)
    if firstKeyFrame == nil, handler == "vide" { noteFirstKeyFrame(of: run, at: offset, in: buffer) }
    clock.append(run, in: buffer) { sample, duration, count in
      append(
        duration: duration, size: sample.size, compositionOffset: sample.compositionOffset,
        isSync: sample.flags & Self.notSync == 0, count: count)
    }
  }

  /// Returns the number of samples of a run that take memory of their own.
  func entryCount(of run: TrackRun) -> Int {
    guard let sample = run.commonSample, handler == "soun", run.count > 0 else { return run.count }
    return samples.hasOneSize(with: sample.size) ? 1 : run.count + samples.sampleCount
  }

  /// True if so many more samples can be counted in a sample table.
  func hasRoom(for count: Int) -> Bool { samples.sampleCount + count <= Int(UInt32.max) }

  /// The flags of a sample that is not a sync sample: `sample_is_non_sync_sample`, or a `sample_depends_on` that marks
  /// it as depending on others (ISO/IEC 14496-12 §8.8.3.1).
  static let notSync: UInt32 = 0x0101_0000

  private mutating func noteFirstKeyFrame(of run: TrackRun, at offset: UInt64, in buffer: BoxBuffer) {
    var start = offset
    run.forEachSample(in: buffer) { sample in
      // All bytes of the run lie in the file, so the sums are below its length.
      let end = start + UInt64(sample.size)
      if samples.sampleCount == 0, firstSample == nil { firstSample = start..<end }
      if firstKeyFrame == nil, sample.flags & Self.notSync == 0 { firstKeyFrame = start..<end }
      start = end
    }
  }

  /// Appends the samples that `moov` itself holds, before those of fragments.
  ///
  /// - Parameters:
  ///   - bodyStart: the offset of the body in the file.
  ///   - clock: the track's clock.
  mutating func append(
    _ table: SampleTable, in buffer: BoxBuffer, bodyStart: UInt64, _ clock: inout FragmentTimes
  ) throws(MP4Error) {
    let raw = buffer.bytes.borrowedSpan
    var durations = RunCursor(table.timeToSample)
    var offsets = table.compositionOffsets.map { RunCursor($0) }
    var syncIndex = 0
    let places = try table.placesOfFirstKeyFrame(in: buffer).filter { $0.lowerBound >= bodyStart }
      .map { ($0.lowerBound - bodyStart)..<($0.upperBound - bodyStart) }
    firstKeyFrame = places.first
    firstSample = places.last
    try table.forEachChunk(in: buffer) { (_, chunk) throws(MP4Error) in
      // A chunk without bytes may point anywhere, even before the body. It has no data that could be missed.
      let (offset, isInFront) = chunk.offset.subtractingReportingOverflow(bodyStart)
      samples.beginChunk(
        at: isInFront ? 0 : offset, sampleCount: UInt32(chunk.sampleCount), descriptionIndex: chunk.descriptionIndex)
      for index in chunk.firstSample..<(chunk.firstSample + chunk.sampleCount) {
        let duration = durations.next(in: raw) ?? 0
        let offset = offsets?.next(in: raw) ?? 0
        var isSync = true
        if let sync = table.syncSamples {
          while syncIndex < sync.count, Int(raw.uint32(at: sync.position + 4 * syncIndex)) < index + 1 {
            syncIndex += 1
          }
          isSync = syncIndex < sync.count && Int(raw.uint32(at: sync.position + 4 * syncIndex)) == index + 1
        }
        _ = clock.pass(duration: duration)
        append(
          duration: duration, size: table.size(ofSample: index, in: raw),
          compositionOffset: Int32(bitPattern: offset), isSync: isSync)
      }
    }
  }

  @inline(__always)
  private mutating func append(
    duration: UInt32, size: UInt32, compositionOffset: Int32, isSync: Bool, count: Int = 1
  ) {
    if let pendingDuration { settle(pendingDuration) }
    pendingDuration = Int64(duration)
    lastOffset = Int64(compositionOffset)
    compositionStart = min(compositionStart, settledDuration + lastOffset)
    // All sound samples are sync samples, whatever their flags say.
    samples.append(size: size, compositionOffset: compositionOffset, isSync: isSync || handler == "soun", count: count)
    if count > 1 { settle(Int64(duration), count: count - 1) }
  }

  /// - Parameter count: the number of samples that have this duration.
  @inline(__always)
  private mutating func settle(_ duration: Int64, count: Int = 1) {
    samples.append(duration: duration, count: count)
    settledDuration += duration * Int64(count)
    settledEnd = max(settledEnd, settledDuration + lastOffset)
  }

  /// Has the picture that is shown at a time begin then: players disagree about a picture that an edit cuts.
  ///
  /// - Parameter time: the beginning of the edit, in ticks from the first sample's decoding time.
  mutating func beginPicture(at time: Int64) {
    guard handler == "vide", time > max(0, compositionStart) else { return }
    samples.beginSample(at: time, notBefore: time - CutPicture.longestDelay(in: timescale))
  }

  /// Adds the entry for the last sample's duration. Nothing may be appended afterwards.
  mutating func finish(lastDuration: Int64) {
    if pendingDuration != nil { settle(lastDuration) }
    pendingDuration = nil
    let coarser = samples.timescale(fitting: timescale)
    guard coarser != timescale else { return }
    samples.rescale(from: timescale, to: coarser)
    firstTime = firstTime.rescaled(from: timescale, to: coarser)
    settledDuration = settledDuration.rescaled(from: timescale, to: coarser)
    settledEnd = settledEnd.rescaled(from: timescale, to: coarser)
    lastOffset = lastOffset.rescaled(from: timescale, to: coarser)
    compositionStart = compositionStart.rescaled(from: timescale, to: coarser)
    timescale = coarser
  }
}
