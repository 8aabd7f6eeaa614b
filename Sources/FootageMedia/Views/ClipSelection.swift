internal import FootageBase

/// The samples of a recording that a clip needs.
struct ClipSelection {
  /// The samples of the leading track, in decoding order.
  var leading: [IndexedSample] = []
  var sound: [IndexedSample] = []
  let initialization: Int

  /// - Parameters:
  ///   - wanted: the part of the recording. Unless it is the last part of the clip, it ends with the last picture that
  ///     can be decoded without later ones, because only the end of a clip can contain samples that are not shown.
  ///   - isFirst: true for the first part of a clip. It begins with the key frame before the beginning, if there is
  ///     one, and with an additional frame of sound. Other parts begin with the first key frame in their time.
  /// - Returns: nil if the recording ends before that time, begins after it, or has no picture to begin with.
  init?(
    _ wanted: Clip.Wanted, isFirst: Bool, _ index: SampleIndex, _ source: some ByteSource
  ) throws(SampleIndexError) {
    let times = wanted.times
    let timing = index.leading.timing
    let start = timing.ticks(nanoseconds: times.lowerBound)
    // The first tick that is not wanted any more.
    let end = timing.ticks(nanoseconds: times.upperBound - 1) + 1
    guard index.blockCount > 0, start < index.end else { return nil }
    var first = try index.block(at: start, source)
    // Go back to a block with a key frame that is shown at the beginning or earlier.
    if isFirst, index.leading.handler == "vide" {
      first = try Self.firstBlock(before: first, start, index, source)
    }
    let last = try index.block(at: end - 1, source)
    let row = try index.blockRows(first..<(first + 1), source)[0]
    initialization = row.initialization
    // The next block may hold sound or pictures that are presented a little earlier than the time in its row.
    let blocks = try index.blocks(first..<min(index.blockCount, max(first, last) + 2), source)
    let all = blocks.flatMap(\.leading)
    guard let begin = Self.begin(all, isFirst: isFirst, start: start, timing) else { return nil }
    let stop =
      wanted.isLast || index.leading.handler != "vide" ? nil : all[begin...].firstIndex { $0.isOutside(end, timing) }
    let lastShown = all[begin...].lastIndex { timing.presentationTime(of: $0) < end }
    guard let lastShown, begin <= lastShown else { return nil }
    leading = Array(all[begin..<min(stop ?? .max, lastShown + 1)])
    guard let track = index.sound else { return }
    let soundStart = track.timing.ticks(nanoseconds: times.lowerBound)
    let soundEnd = track.timing.ticks(nanoseconds: times.upperBound - 1) + 1
    // The frame that is heard at the beginning may lie in the block before the first picture's.
    let before = first > 0 ? try index.blocks((first - 1)..<first, source).flatMap(\.sound) : []
    let heard = before + blocks.flatMap(\.sound)
    // A decoder of sound also needs the previous frame.
    let from = heard.firstIndex {
      let time = track.timing.presentationTime(of: $0)
      return isFirst ? time + 2 * Int64($0.duration) > soundStart : time + Int64($0.duration) > soundStart
    }
    guard let from else { return }
    sound = heard[from...].prefix { track.timing.presentationTime(of: $0) < soundEnd }.map { $0 }
  }

  /// Returns the last block with a key frame that is shown at a time or earlier. If there is none, it returns the first
  /// block. If the search exceeds `longestWayBack`, it returns the block that contains the time, although decoding then
  /// begins without a key frame.
  private static func firstBlock(
    before number: Int, _ start: Int64, _ index: SampleIndex, _ source: some ByteSource
  ) throws(SampleIndexError) -> Int {
    var candidate = number
    while try !canBegin(candidate, start, index, source) {
      guard candidate > 0, number - candidate < longestWayBack else { return candidate == 0 ? 0 : number }
      candidate -= 1
    }
    return candidate
  }

  /// The largest number of blocks that the search for a key frame goes back. Without key frames, a block lasts ten
  /// seconds.
  private static let longestWayBack = 60

  /// Returns true if a block has a key frame that is shown at a time or earlier.
  private static func canBegin(
    _ number: Int, _ start: Int64, _ index: SampleIndex, _ source: some ByteSource
  ) throws(SampleIndexError) -> Bool {
    let row = try index.blockRows(number..<(number + 1), source)[0]
    if row.beginsWithKeyFrame, row.time <= start { return true }
    guard row.hasMoreKeyFrames else { return false }
    return try index.blocks(number..<(number + 1), source).first?.leading.contains {
      $0.isSync && index.leading.timing.presentationTime(of: $0) <= start
    } ?? false
  }

  /// Returns the sample with which the part begins. For the first part it is the last key frame at or before the
  /// beginning, or else the first key frame or sample. For others it is the first key frame from the beginning on.
  private static func begin(
    _ samples: [IndexedSample], isFirst: Bool, start: Int64, _ timing: TrackTiming
  ) -> Int? {
    let keys = samples.indices.filter { samples[$0].isSync }
    if isFirst {
      return keys.last { timing.presentationTime(of: samples[$0]) <= start } ?? keys.first ?? samples.indices.first
    }
    return keys.first { timing.presentationTime(of: samples[$0]) >= start }
  }
}

extension IndexedSample {
  fileprivate func isOutside(_ end: Int64, _ timing: TrackTiming) -> Bool { timing.presentationTime(of: self) >= end }
}

extension TrackTiming {
  /// Returns nanoseconds in ticks, rounded down. The result is clamped far beyond any recording.
  func ticks(nanoseconds: Int64) -> Int64 {
    let product = Int128(nanoseconds) * Int128(timescale)
    let quotient = product / 1_000_000_000
    return Int64(ticks: product < quotient * 1_000_000_000 ? quotient - 1 : quotient)
  }
}
