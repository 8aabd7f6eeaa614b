/// What a walk over a track's samples tells of its stream.
package struct SampleStatistics: Hashable, Sendable {
  /// The shortest, the one in the middle and the longest. The last group, which the end cuts off, counts for the longest
  /// alone, unless there is no other.
  package struct Lengths<Value: Hashable & Sendable>: Hashable, Sendable {
    package let shortest: Value
    package let median: Value
    package let longest: Value

    package init(shortest: Value, median: Value, longest: Value) {
      self.shortest = shortest
      self.median = median
      self.longest = longest
    }
  }

  /// Groups of pictures: a key frame each, with the samples that are decoded after it, up to the next.
  package struct Groups: Hashable, Sendable {
    /// Key frames.
    package fileprivate(set) var count = 0
    /// Key frames that are followed, in decoding order, by a picture that is shown before them: it needs the group
    /// before.
    package fileprivate(set) var openCount = 0
    /// Samples before the first key frame.
    package fileprivate(set) var framesBefore = 0
    package fileprivate(set) var frames = Lengths(shortest: 0, median: 0, longest: 0)
    /// From a key frame to the next one, or to the track's end, as they are shown.
    package fileprivate(set) var seconds = Lengths(shortest: 0.0, median: 0.0, longest: 0.0)
  }

  /// How many samples were looked at.
  package private(set) var sampleCount = 0
  /// Whether there are more.
  package private(set) var isAbridged = false
  /// Of all samples that were looked at, in bytes.
  package private(set) var byteCount: UInt64 = 0
  /// Bits a second, the mean; nil where they take no time.
  package private(set) var bitRate: Double?
  /// Bits of the second, from any sample on, that has most; nil for less than a second.
  package private(set) var peakBitRate: Double?
  /// How many pictures are decoded before one that is shown before them, at most; 16 stands for more. Above 0 there
  /// are B-frames, or what is like them.
  package private(set) var reorderDepth = 0
  package private(set) var groups = Groups()

  /// One walk over the tables.
  ///
  /// - Parameter limit: how many samples are looked at.
  /// - Throws: `MP4Error` where a sample lies outside of the recorder's file.
  init(_ track: Track, of tables: MovieTables, limit: Int) throws(MP4Error) {
    let timescale = Int64(track.timescale)
    var samples = SampleWalk(track, of: tables)
    // The same walk, a second behind.
    var past = SampleWalk(track, of: tables)
    var oldest = try past.next()
    var secondBytes: UInt64 = 0
    var peakBytes: UInt64 = 0
    var order = DecodingOrder()
    var groups = GroupWalk()
    var end: Int64 = 0
    var shownEnd: Int64 = 0
    while sampleCount < limit, let sample = try samples.next() {
      sampleCount += 1
      // Below 2^58, as there are below 2^26 samples.
      byteCount += UInt64(sample.size)
      secondBytes += UInt64(sample.size)
      while let passed = oldest, passed.decodingTime <= sample.decodingTime - timescale {
        secondBytes -= UInt64(passed.size)
        oldest = try past.next()
      }
      peakBytes = max(peakBytes, secondBytes)
      reorderDepth = max(reorderDepth, order.depth(of: sample.mediaTime))
      groups.add(sample)
      end = sample.decodingTime + Int64(sample.duration)
      shownEnd = max(shownEnd, sample.mediaTime + Int64(sample.duration))
    }
    isAbridged = sampleCount < track.samples.count
    // Decoding times count from 0.
    if end > 0 { bitRate = Double(byteCount) * 8 * Double(timescale) / Double(end) }
    if end >= timescale { peakBitRate = Double(peakBytes) * 8 }
    self.groups = groups.finish(at: shownEnd, timescale: Double(timescale))
  }

  /// How far pictures are decoded ahead of what is shown before them.
  private struct DecodingOrder {
    private var latest = Int64.min
    /// Of the last pictures, as a ring: decoders keep no more.
    private var recent = Array(repeating: Int64.min, count: 16)
    private var next = 0

    mutating func depth(of time: Int64) -> Int {
      defer {
        recent[next] = time
        next = (next + 1) % recent.count
      }
      guard time < latest else {
        latest = time
        return 0
      }
      return recent.count { $0 > time }
    }
  }

  /// The groups so far.
  private struct GroupWalk {
    private var groups = Groups()
    /// Of the groups that another one follows, up to a limit.
    private var frameCounts: [Int] = []
    private var durations: [Int64] = []
    /// Of those that passed it.
    private var longestFrames = 0
    private var longestTicks: Int64 = 0
    /// Of the group's key frame.
    private var start: Int64?
    private var frames = 0
    /// Of a key frame, where the next sample tells whether its group is open.
    private var keyTime: Int64?

    mutating func add(_ sample: IndexedSample) {
      if let time = keyTime {
        if sample.mediaTime < time { groups.openCount += 1 }
        keyTime = nil
      }
      guard sample.isSync else {
        if start == nil { groups.framesBefore += 1 } else { frames += 1 }
        return
      }
      if let start {
        let ticks = max(0, sample.mediaTime - start)
        if durations.count < Limits.inspectedGroups {
          frameCounts.append(frames)
          durations.append(ticks)
        }
        longestFrames = max(longestFrames, frames)
        longestTicks = max(longestTicks, ticks)
      }
      groups.count += 1
      start = sample.mediaTime
      frames = 1
      keyTime = sample.mediaTime
    }

    /// - Parameter end: of the last sample, as it is shown.
    consuming func finish(at end: Int64, timescale: Double) -> Groups {
      guard let start else { return groups }
      let lastTicks = max(0, end - start)
      if durations.isEmpty {
        frameCounts = [frames]
        durations = [lastTicks]
      }
      frameCounts.sort()
      durations.sort()
      let middle = durations.count / 2
      groups.frames = Lengths(
        shortest: frameCounts[0], median: frameCounts[middle], longest: max(longestFrames, frames))
      groups.seconds = Lengths(
        shortest: Double(durations[0]) / timescale, median: Double(durations[middle]) / timescale,
        longest: Double(max(longestTicks, lastTicks)) / timescale)
      return groups
    }
  }
}
