/// The samples of a fragmented track as they are added, with the times that they will have in the whole recording.
struct GrowingTrack: Sendable {
  let id: UInt32
  private let isSound: Bool
  /// The last sample. Its duration is known only when the next one is added.
  private(set) var last: IndexedSample?
  private(set) var count = 0

  init(id: UInt32, isSound: Bool) {
    self.id = id
    self.isSound = isSound
  }

  /// Adds the samples before those of fragments.
  ///
  /// - Parameter queue: receives the samples whose durations are final.
  mutating func begin(with samples: SampleQueue, to queue: inout SampleQueue) {
    for index in 0..<samples.count {
      if let last { queue.append(last) }
      last = samples[index]
    }
    count += samples.count
  }

  /// Adds a run.
  ///
  /// - Parameters:
  ///   - offset: the offset of the run's first byte in the file.
  ///   - queue: receives the samples whose durations are final.
  ///   - fresh: receives all samples of the run. The last one has the duration that it claims.
  ///   - clock: the track's clock.
  ///   - isKeyFrame: returns false for a sample that is marked as a key frame but is none.
  /// - Throws: `malformed` if a sample has no valid composition offset.
  mutating func append(
    _ run: TrackRun, at offset: UInt64, in buffer: BoxBuffer, to queue: inout SampleQueue,
    _ fresh: inout [IndexedSample], _ clock: inout FragmentTimes, isKeyFrame: (IndexedSample) -> Bool = { _ in true }
  ) throws(MP4Error) {
    guard run.count > 0 else { return }
    if let longer = clock.seek(to: run.decodeTime) { last?.duration = UInt32(clamping: longer) }
    var samples: [IndexedSample] = []
    samples.reserveCapacity(run.count)
    var offset = offset
    let first = clock.first
    var times = clock
    run.forEachSample(in: buffer) { sample in
      let (time, duration) = times.append(duration: sample.duration)
      samples.append(
        IndexedSample(
          offset: offset, decodingTime: time - first, compositionOffset: sample.compositionOffset, duration: duration,
          size: sample.size,
          description: UInt16(clamping: max(1, run.descriptionIndex) - 1),
          isSync: isSound || sample.flags & FragmentedTrack.notSync == 0))
      offset += UInt64(sample.size)
    }
    clock = times
    guard !samples.contains(where: { $0.compositionOffset == .min }) else {
      throw SampleCursor.fault("has a sample without a valid presentation time")
    }
    if !isSound {
      for index in samples.indices where samples[index].isSync && !isKeyFrame(samples[index]) {
        samples[index].isSync = false
      }
    }
    if let last { queue.append(last) }
    for sample in samples.dropLast() { queue.append(sample) }
    last = samples.last
    count += samples.count
    fresh += samples
  }
}
