/// Statistics of a track's stream from a walk over its samples.
package struct SampleStatistics: Hashable, Sendable {
  /// The shortest, the median and the longest value. The last group counts only for the longest value, unless it is the
  /// only group, because the end of the track may cut it short.
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

  /// Groups of pictures. Each consists of a key frame and the samples that are decoded after it, up to the next key
  /// frame.
  package struct Groups: Hashable, Sendable {
    /// The number of key frames.
    package fileprivate(set) var count = 0
    /// The number of key frames that are followed, in decoding order, by a picture that is shown before them. Such a
    /// picture needs the previous group.
    package fileprivate(set) var openCount = 0
    /// The number of samples before the first key frame.
    package fileprivate(set) var framesBefore = 0
    package fileprivate(set) var frames = Lengths(shortest: 0, median: 0, longest: 0)
    /// The times from a key frame to the next one, or to the track's end, in presentation order.
    package fileprivate(set) var seconds = Lengths(shortest: 0.0, median: 0.0, longest: 0.0)
  }

  /// The number of examined samples.
  package private(set) var sampleCount = 0
  /// True if the track has more samples.
  package private(set) var isAbridged = false
  /// The total size of the examined samples in bytes.
  package private(set) var byteCount: UInt64 = 0
  /// The mean bit rate in bits a second, or nil if the samples take no time.
  package private(set) var bitRate: Double?
  /// The largest number of bits in one second, which may begin at any sample. It is nil for less than a second.
  package private(set) var peakBitRate: Double?
  /// The largest number of pictures that are decoded before a picture and shown after it. 16 stands for 16 or more. A
  /// value above 0 means that there are B-frames or similar frames.
  package private(set) var reorderDepth = 0
  package private(set) var groups = Groups()

  /// Walks over the tables once.
  ///
  /// - Parameter limit: the largest number of samples to examine.
  /// - Throws: `MP4Error` if a sample lies outside of the recorder's file.
  init(_ track: Track, of tables: MovieTables, limit: Int) throws(MP4Error) {
    let timescale = Int64(track.timescale)
    var samples = SampleWalk(track, of: tables)
    // The same walk, one second behind the first.
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
      // The sum stays below 2^58, because there are fewer than 2^26 samples.
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

  /// The order in which pictures are decoded, compared with the order in which they are shown.
  private struct DecodingOrder {
    private var latest = Int64.min
    /// The times of the last pictures, in a ring buffer. Decoders reorder no more pictures than that.
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
    /// The numbers of samples in completed groups, up to a limit on the number of groups.
    private var frameCounts: [Int] = []
    private var durations: [Int64] = []
    /// The largest number of samples in any completed group. `longestTicks` is the longest duration of one.
    private var longestFrames = 0
    private var longestTicks: Int64 = 0
    /// The time of the current group's key frame.
    private var start: Int64?
    private var frames = 0
    /// The time of a key frame until the next sample shows whether its group is open.
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

    /// - Parameter end: the latest end of a sample in presentation order.
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
