/// The samples of a fragmented track as they are added, with the times that they will have in the whole recording.
struct GrowingTrack: Sendable {
  let id: UInt32
  private let isSound: Bool
  private var times = FragmentTimes()
  /// The last sample. Its duration is known only when the next one is added.
  private(set) var last: IndexedSample?
  private(set) var count = 0

  init(id: UInt32, isSound: Bool) {
    self.id = id
    self.isSound = isSound
  }

  /// Adds a run.
  ///
  /// - Parameters:
  ///   - offset: the offset of the run's first byte in the file.
  ///   - queue: receives the samples whose durations are final.
  ///   - fresh: receives all samples of the run. The last one has the duration that it claims.
  /// - Throws: `malformed` if a sample has no valid composition offset.
  mutating func append(
    _ run: TrackRun, at offset: UInt64, in buffer: BoxBuffer, to queue: inout SampleQueue,
    _ fresh: inout [IndexedSample]
  ) throws(MP4Error) {
    guard run.count > 0 else { return }
    if let longer = times.seek(to: run.decodeTime) { last?.duration = longer }
    var samples: [IndexedSample] = []
    samples.reserveCapacity(run.count)
    var offset = offset
    let (times, first) = (times, times.first)
    var clock = times
    run.forEachSample(in: buffer) { sample in
      samples.append(
        IndexedSample(
          offset: offset, decodingTime: clock.append(duration: sample.duration) - first,
          compositionOffset: sample.compositionOffset, duration: sample.duration, size: sample.size,
          description: UInt16(clamping: max(1, run.descriptionIndex) - 1),
          isSync: isSound || sample.flags & FragmentedTrack.notSync == 0))
      offset += UInt64(sample.size)
    }
    self.times = clock
    guard !samples.contains(where: { $0.compositionOffset == .min }) else {
      throw SampleCursor.fault("has a sample without a valid presentation time")
    }
    if let last { queue.append(last) }
    for sample in samples.dropLast() { queue.append(sample) }
    last = samples.last
    count += samples.count
    fresh += samples
  }
}
