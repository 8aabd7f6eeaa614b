internal import FootageBase

/// A builder that divides samples into blocks and segments as they are added.
///
/// It does no input itself. Its owner puts samples into its queues, and the builder returns the track from which it
/// needs more samples for the next cut. A growing recording is therefore cut in the same way as the complete one.
struct SampleIndexBuilder: Sendable {
  /// The track that needs more samples for the next cut.
  enum Need: Sendable {
    case leading, sound
    /// All samples were cut.
    case nothing
  }

  /// The end of a block.
  private struct Cut {
    /// The number of samples of the leading track before the cut.
    let index: Int
    /// The time of the cut, or nil at the end of the recording.
    let time: Int64?
    let beginsSegment: Bool
    let kind: SegmentRow.Cut
  }

  /// The timing of the pictures, or of the sound if there are no pictures.
  let timing: TrackTiming
  /// The timing of the sound beside pictures.
  let soundTiming: TrackTiming?
  private let rules: FilmRules.InTicks
  private let second: Int64
  /// The end of what the edit list shows of each track, in the track's ticks from the beginning of the presentation. It
  /// is nil if all of the track is shown.
  private let shownEnd, shownSoundEnd: Int64?
  private let leavesOutHidden: Bool

  /// The samples that are not in a block yet.
  var leading = SampleQueue()
  var sound = SampleQueue()
  /// True if no more samples will be put into the queue of the leading track.
  var isLeadingComplete = false
  var isSoundComplete = false

  private(set) var segments: [SegmentRow] = []
  private(set) var blocks: [BlockRow] = []
  private(set) var payload: [UInt8] = []
  private var room = ByteRoom()
  /// The counts of the rows that earlier calls of `takeRows` returned.
  private(set) var taken = IndexRows.Counts()
  /// The latest end of a sample, in ticks of the leading track from the beginning of the presentation.
  private(set) var end = Int64.min
  /// The entries of the leading track's `stsd` that are used, in the order of their first use. Each has an init
  /// segment.
  private(set) var descriptions: [UInt16] = []
  private(set) var keyFrames = KeyFrameStatistics()
  /// The smallest composition offset of the leading track, or 0 if none is negative.
  private(set) var leastOffset: Int32 = 0
  /// The smallest composition offset of the sound, or 0 if none is negative.
  private(set) var leastSoundOffset: Int32 = 0

  /// The decoding time of the first sample of the leading track. `firstSoundTime` is that of the sound.
  private(set) var firstTime: Int64?
  private(set) var firstSoundTime: Int64?

  private var hasBegun = false
  /// The start of the current block.
  private var blockTime: Int64 = 0
  private var blockBytes: UInt64 = 0
  /// The number of samples of the leading track in the current segment, before the current block.
  private var samplesOfSegment = 0
  /// The duration of the last sample in the previous block.
  private var lastDuration: UInt32 = 0
  /// The duration of the last sound sample in a block that was not followed by a pause.
  private var lastSoundDuration: UInt32 = 0
  private var description: UInt16 = 0
  /// The first sample of the leading track that has not been examined yet.
  private var scan = 0
  /// The next cut, while not all of the sound before it has been added.
  private var pending: Cut?
  private var bytesOfSegment: UInt64 = 0
  private var segmentTime: Int64 = 0

  /// - Parameters:
  ///   - shownEnd: the end of what the edit list shows of the leading track, in its ticks from the beginning of the
  ///     presentation, or nil if all of it is shown. `shownSoundEnd` is that of the sound.
  ///   - leavesOutHidden: true if what comes before the beginning of the presentation is left out.
  init(
    timing: TrackTiming, soundTiming: TrackTiming?, rules: FilmRules, shownEnd: Int64? = nil,
    shownSoundEnd: Int64? = nil, leavesOutHidden: Bool = true
  ) {
    self.leavesOutHidden = leavesOutHidden
    self.timing = timing
    self.soundTiming = soundTiming
    self.shownEnd = shownEnd
    self.shownSoundEnd = shownSoundEnd
    second = Int64(timing.timescale)
    self.rules = FilmRules.InTicks(rules, of: timing)
    isSoundComplete = soundTiming == nil
  }

  /// Reserves memory for this number of samples at once. Most need less than four bytes each.
  mutating func reserve(samples: Int) { payload.reserveCapacity(min(4 * samples, Limits.sampleIndex)) }

  /// Makes all cuts that are possible now.
  ///
  /// - Throws: `tooMuch` if the index exceeds its limit.
  mutating func advance() throws(MP4Error) -> Need {
    while true {
      if pending == nil {
        if !hasBegun, let need = begin() { return need }
        if pending == nil { pending = nextCut() }
      }
      guard let cut = pending else { return leading.isEmpty && isLeadingComplete ? .nothing : .leading }
      guard let soundCount = soundCount(before: cut.time) else { return .sound }
      pending = nil
      try write(cut, soundCount: soundCount)
      if cut.time == nil { return .nothing }
    }
  }

  // MARK: Beginning

  /// Begins the first segment, if there are enough samples for that.
  ///
  /// - Returns: the track that needs more samples, or nil if the segment has begun.
  private mutating func begin() -> Need? {
    if let need = leaveOutHiddenPictures() { return need }
    guard let kind = kind(of: 0) else { return .leading }
    let first = leading[0]
    let time = timing.presentationTime(of: first)
    var start = time
    if soundTiming != nil {
      if let need = leaveOutHiddenSound(before: time) { return need }
      // The recording begins with its sound if that comes first. Sound before the beginning of the presentation
      // prepares a decoder and is not heard.
      if let soundTime = timeOfFirstSound { start = min(time, max(0, soundTime)) }
    }
    hasBegun = true
    description = first.description
    blockTime = time
    // Sound that begins long before the pictures has its own blocks.
    if time - start > rules.longestBlock {
      blockTime = start
      beginSegment(at: start, kind: [])
      pending = Cut(index: 0, time: time, beginsSegment: true, kind: kind)
    } else {
      beginSegment(at: start, kind: kind)
      note(0, kind)
      scan = 1
    }
    return nil
  }

  /// The time of the first waiting sound sample, in ticks of the leading track.
  private var timeOfFirstSound: Int64? {
    guard let soundTiming, !sound.isEmpty else { return nil }
    return timing.floor(soundTiming.presentationTime(of: sound[0]), of: soundTiming)
  }

  /// Leaves out the groups of pictures that the edit list hides completely.
  ///
  /// - Returns: the track that needs more samples, or nil if the first picture is known.
  private mutating func leaveOutHiddenPictures() -> Need? {
    guard !leading.isEmpty else { return isLeadingComplete ? .nothing : .leading }
    guard leavesOutHidden else { return nil }
    var last: Int?
    var isBeforeBeginning = true
    for index in 0..<leading.count where isBeforeBeginning {
      let time = timing.presentationTime(of: leading[index])
      if time <= 0, leading[index].isSync { last = index }
      // Key frames after a picture that is shown are shown later.
      isBeforeBeginning = time <= 0
    }
    if let last, last > 0 { leading.removeFirst(last) }
    return isBeforeBeginning && !isLeadingComplete && leading.count < rules.segmentSamples ? .leading : nil
  }

  /// Leaves out the sound that is not heard because the edit list hides it, but for a few frames that a decoder needs.
  ///
  /// - Parameter time: the time of the first picture.
  /// - Returns: the track that needs more samples, or nil if the first sound is known.
  private mutating func leaveOutHiddenSound(before time: Int64) -> Need? {
    guard let soundTiming else { return nil }
    let beginning = soundTiming.floor(min(0, time), of: timing) - soundTiming.ticks(milliseconds: Self.soundBefore)
    while !sound.isEmpty {
      let end = soundTiming.presentationTime(of: sound[0]) + Int64(sound[0].duration)
      guard leavesOutHidden, end <= beginning else { return nil }
      sound.removeFirst(1)
    }
    return isSoundComplete || isLate(after: time) ? nil : .sound
  }

  /// The milliseconds of hidden sound that are kept before the beginning. Opus needs 80 of them (RFC 7845 §4.6).
  private static let soundBefore: Int64 = 100

  // MARK: Cuts

  /// Returns the end of the current block, or nil if it is not known yet.
  private mutating func nextCut() -> Cut? {
    while scan < leading.count {
      if isPause(scan) { decodeAfterPause(scan) }
      let sample = leading[scan]
      let isPause = scan > 0 && isPause(scan - 1)
      let time = max(blockTime, timing.presentationTime(of: sample))
      let inBlock = time - blockTime
      let inSegment = time - segmentTime
      var kind: SegmentRow.Cut = []
      if sample.isSync {
        guard let found = self.kind(of: scan) else { return nil }
        kind = found
      }
      note(scan, kind)
      let endsSegment =
        sample.description != description || bytesOfSegment + blockBytes >= rules.segmentBytes
        || samplesOfSegment + scan >= rules.segmentSamples || (kind.contains(.closed) && inSegment >= rules.target)
        || (kind.contains(.keyFrame) && inSegment >= rules.patience)
        || (rules.isGrowing && inSegment + min(Int64(sample.duration), rules.longestPause) > rules.longest)
      if endsSegment { return Cut(index: scan, time: time, beginsSegment: true, kind: kind) }
      // A block states only the time of its first sample, and the durations of all.
      let endsBlock =
        inBlock >= (sample.isSync ? rules.shortestBlock : rules.longestBlock) || scan >= rules.blockSamples || isPause
        || (scan > 0 && !leading[scan - 1].isFollowed(by: sample))
      if endsBlock { return Cut(index: scan, time: time, beginsSegment: false, kind: kind) }
      blockBytes += UInt64(sample.size)
      scan += 1
    }
    return isLeadingComplete ? Cut(index: leading.count, time: nil, beginsSegment: false, kind: []) : nil
  }

  /// Returns true if a picture lasts so long that nothing may have been recorded during that time.
  private func isPause(_ index: Int) -> Bool {
    let duration = Int64(leading[index].duration)
    guard duration > rules.longestPause else { return false }
    if rules.isGrowing { return true }
    let usual = usualDuration(around: index)
    return usual > 0 && duration > Self.pauseFactor * usual
  }

  /// Moves the decoding of samples that are shown after a pause behind it, too. Where pictures are reordered, decoding
  /// times jump some samples later than the times at which these are shown. Players show a picture for the time until
  /// the next decoding.
  ///
  /// - Parameter last: the index of the last sample that is decoded before the jump.
  private mutating func decodeAfterPause(_ last: Int) {
    let jump = Int64(leading[last].duration) - max(1, usualDuration(around: last))
    var first = last + 1
    while first > 0, last - first < Self.mostReordered, Int64(leading[first - 1].compositionOffset) >= jump {
      first -= 1
    }
    // The duration of a sample in an earlier block is known only where a segment begins with this one.
    if first == 0, samplesOfSegment > 0 || taken.segments + segments.count < 2 { first = 1 }
    guard jump > 0, first <= last else { return }
    leading.delay(first...last, by: jump)
  }

  /// The largest number of samples that are decoded before a jump and shown after it (ITU-T H.264 §A.3.1).
  private static let mostReordered = 16

  /// Returns the duration of the sample before another one, or of the one after it if it is the first.
  private func usualDuration(around index: Int) -> Int64 {
    if index > 0 { return Int64(leading[index - 1].duration) }
    if lastDuration > 0 { return Int64(lastDuration) }
    return leading.count > index + 1 ? Int64(leading[index + 1].duration) : 0
  }

  /// A picture that lasts this many times as long as the one before it may precede a gap.
  private static let pauseFactor: Int64 = 5

  /// Returns the kind of a cut at a sample, or nil if it is not known yet.
  private func kind(of index: Int) -> SegmentRow.Cut? {
    let sample = leading[index]
    guard sample.isSync else { return [] }
    for next in (index + 1)..<max(index + 1, leading.count) {
      let time = leading[next].mediaTime
      // Leading pictures follow their key frame directly. The first picture that is shown after it ends them.
      if time != sample.mediaTime { return time > sample.mediaTime ? [.keyFrame, .closed] : .keyFrame }
    }
    return isLeadingComplete ? [.keyFrame, .closed] : nil
  }

  /// Updates the statistics of key frames and times for a sample.
  private mutating func note(_ index: Int, _ kind: SegmentRow.Cut) {
    let sample = leading[index]
    leastOffset = min(leastOffset, sample.compositionOffset)
    if firstTime == nil { firstTime = sample.decodingTime }
    end = max(end, min(timing.presentationTime(of: sample) + Int64(sample.duration), shownEnd ?? .max))
    guard sample.isSync else { return }
    keyFrames.add(at: timing.presentationTime(of: sample), isClosed: kind.contains(.closed))
  }

  // MARK: Sound

  /// Returns the number of waiting sound samples that are to be played before a time of the pictures.
  ///
  /// - Parameter time: the time, or nil for the end.
  /// - Returns: nil if the number is not known yet.
  private func soundCount(before time: Int64?) -> Int? {
    guard let soundTiming else { return 0 }
    let limit = time.map { soundTiming.ceiling($0, of: timing) } ?? .max
    for index in 0..<sound.count where soundTiming.presentationTime(of: sound[index]) >= limit { return index }
    return isSoundComplete || time.map(isLate) ?? false ? sound.count : nil
  }

  /// Returns true if a growing recording's pictures are so far ahead that sound at this time is no longer expected.
  private func isLate(after time: Int64) -> Bool {
    guard rules.isGrowing, !leading.isEmpty else { return false }
    return timing.presentationTime(of: leading[leading.count - 1]) - time >= rules.soundPatience
  }

  /// Returns the number of the first sound samples that belong to the block beginning at a time. If there is much
  /// sound, these are only the samples of its first seconds, up to a pause.
  private func soundCount(ofBlockAt time: Int64, of count: Int) -> Int {
    guard let soundTiming else { return 0 }
    let limit = soundTiming.ceiling(time + rules.longestBlock, of: timing)
    let most = min(count, rules.blockSamples)
    for index in 0..<most {
      let isNext = index == 0 || sound[index - 1].isFollowed(by: sound[index])
      guard soundTiming.presentationTime(of: sound[index]) < limit, isNext else { return index }
    }
    return most
  }

  /// Returns the time at which a sound sample ends, in ticks of the leading track.
  private func soundEnd(_ index: Int) -> Int64 {
    guard let soundTiming else { return .min }
    let sample = sound[index]
    // A sound sample that claims to last longer than the one before it is followed by a pause.
    let usual = index > 0 ? sound[index - 1].duration : lastSoundDuration
    let isPause = usual > 0 && Int64(sample.duration) > Self.soundPauseFactor * Int64(usual)
    let duration = Int64(isPause ? usual : min(sample.duration, soundTiming.timescale))
    return timing.floor(soundTiming.presentationTime(of: sample) + duration, of: soundTiming)
  }

  private static let soundPauseFactor: Int64 = 3

  /// Returns the time until which something is shown or heard without a gap.
  ///
  /// - Parameters:
  ///   - start: a time until which something is shown, in ticks of the leading track.
  ///   - sounds: the sound samples that follow.
  private func coveredEnd(from start: Int64, _ sounds: Range<Int>) -> Int64 {
    guard let soundTiming else { return start }
    var end = start
    for index in sounds {
      let time = timing.floor(soundTiming.presentationTime(of: sound[index]), of: soundTiming)
      guard time - end <= rules.longestPause else { break }
      end = max(end, soundEnd(index))
    }
    return end
  }

  // MARK: Writing

  private mutating func write(_ cut: Cut, soundCount: Int) throws(MP4Error) {
    let ownSound = self.soundCount(ofBlockAt: blockTime, of: soundCount)
    // The time until which something is shown or heard.
    var covered = blockTime
    if cut.index > 0 {
      covered = endLastPicture(cut, sounds: 0..<soundCount)
    } else if ownSound > 0 {
      covered = soundEnd(ownSound - 1)
    }
    if cut.index > 0 || ownSound > 0 { try writeBlock(leading: cut.index, sound: ownSound) }
    var left = soundCount - ownSound
    // True if sound begins a segment after a gap.
    var soundBegins = false
    // If pictures last long or have ended, the sound continues in its own blocks.
    while left > 0, let first = timeOfFirstSound {
      let isGap = first - covered > rules.longestPause
      if isGap { endSegment(at: covered) }
      blockTime = max(blockTime, first)
      let count = max(1, self.soundCount(ofBlockAt: blockTime, of: left))
      if isGap || isLongEnough(before: cut) {
        beginSegment(at: blockTime, kind: isGap || cut.time == nil ? [.keyFrame, .closed] : [])
        soundBegins = isGap
      }
      covered = max(covered, soundEnd(count - 1))
      try writeBlock(leading: 0, sound: count)
      left -= count
    }
    guard let time = cut.time else { return }
    let isGap = time - covered > rules.longestPause
    if isGap { endSegment(at: covered) }
    blockTime = max(blockTime, time)
    if let first = leading.isEmpty ? nil : leading[0], first.description != description {
      description = first.description
    }
    if soundBegins, !isGap, blockTime - segmentTime <= second, segments.last?.initialization == initialization {
      // The pictures that follow belong to the segment that their sound has begun.
      segments[segments.count - 1].cut = cut.kind
    } else if cut.beginsSegment || isGap {
      beginSegment(at: blockTime, kind: cut.kind)
    }
    // The sample at the cut was already noted, except if the sound began before the pictures.
    if let first = leading.isEmpty ? nil : leading[0] {
      if cut.index == 0 { note(0, cut.kind) }
      blockBytes = UInt64(first.size)
      scan = 1
    }
  }

  /// Returns true if sound that goes on while a picture lasts, or without one, begins a segment. No decoder could begin
  /// with the pictures that follow in the same group.
  private func isLongEnough(before cut: Cut) -> Bool {
    let length = blockTime - segmentTime
    if rules.isGrowing { return length >= min(rules.target, rules.longest - rules.longestBlock) }
    if samplesOfSegment == 0 { return length >= rules.target }
    return cut.time == nil ? length >= rules.longestStill : bytesOfSegment >= rules.segmentBytes
  }

  /// Has the last picture before a cut last until the next one, or until nothing is heard any more. Before a picture
  /// with which no decoder can begin, nothing is left out.
  ///
  /// - Parameter sounds: the sound samples before the next picture.
  /// - Returns: the time until which something is shown or heard, in ticks of the leading track.
  private mutating func endLastPicture(_ cut: Cut, sounds: Range<Int>) -> Int64 {
    let last = cut.index - 1
    let latest = leading.first(cut.index).reduce(Int64.min) { max($0, timing.presentationTime(of: $1)) }
    let mayPause = rules.isGrowing || cut.kind.contains(.keyFrame)
    let isPause = isPause(last) && mayPause
    let shown = isPause ? min(second, max(1, usualDuration(around: last))) : Int64(leading[last].duration)
    lastDuration = UInt32(clamping: shown)
    let covered = coveredEnd(from: latest + shown, sounds)
    // The picture that is decoded last may be shown before others. It ends with them.
    func show(until end: Int64) {
      leading.setDuration(UInt32(clamping: max(1, end - timing.presentationTime(of: leading[last]))), of: last)
    }
    guard let next = cut.time else {
      // Players stop when one track ends.
      if isPause || covered > latest + shown { show(until: covered) }
      if isPause { end = min(end, covered) }
      return covered
    }
    // The next picture may be decoded now and shown much later.
    let isLate = cut.kind.contains(.keyFrame) && next - latest - shown > rules.longestPause
    guard mayPause else { return max(covered, latest + shown, next) }
    guard isPause || isLate else { return max(covered, latest + shown) }
    guard next - covered > rules.longestPause else {
      if !isPause { show(until: next) }
      return next
    }
    show(until: covered)
    return covered
  }

  /// Ends what is shown of the current segment, because a gap follows.
  private mutating func endSegment(at time: Int64) {
    if let last = segments.indices.last { segments[last].shownTime = shownTime(from: segments[last].time, to: time) }
    if let last = blocks.indices.last { blocks[last].shownTime = shownTime(from: blocks[last].time, to: time) }
  }

  /// Returns a time for a row: hundred thousandths of a second, not 0.
  private func shownTime(from start: Int64, to end: Int64) -> UInt32 {
    UInt32(clamping: max(1, timing.hundredThousandths(end - start)))
  }

  /// The number of the init segment for the current description.
  private var initialization: Int { descriptions.firstIndex(of: description) ?? descriptions.count }

  private mutating func beginSegment(at time: Int64, kind: SegmentRow.Cut) {
    let initialization = initialization
    if initialization == descriptions.count { descriptions.append(description) }
    bytesOfSegment = 0
    samplesOfSegment = 0
    segmentTime = time
    segments.append(
      SegmentRow(
        time: time, firstBlock: taken.blocks + blocks.count, mediaBytes: 0, initialization: initialization, cut: kind))
  }

  private mutating func writeBlock(leading count: Int, sound soundCount: Int) throws(MP4Error) {
    try appendBlock(leading: count, sound: soundCount)
    // Nothing else refers to the samples now, so they are not copied.
    leading.removeFirst(count)
    sound.removeFirst(soundCount)
  }

  @inline(never)
  private mutating func appendBlock(leading count: Int, sound soundCount: Int) throws(MP4Error) {
    let pictures = leading.first(count)
    let beside = sound.first(soundCount)
    var bytes: UInt64 = 0
    var syncCount = 0
    for sample in pictures {
      bytes += UInt64(sample.size)
      if sample.isSync { syncCount += 1 }
    }
    if firstSoundTime == nil { firstSoundTime = beside.first?.decodingTime }
    for sample in beside {
      bytes += UInt64(sample.size)
      leastSoundOffset = min(leastSoundOffset, sample.compositionOffset)
    }
    if beside.count > 1 { lastSoundDuration = beside[beside.startIndex].duration }
    if let soundTiming, let last = beside.last {
      let time = soundTiming.presentationTime(of: last) + Int64(last.duration)
      end = max(end, timing.floor(min(time, shownSoundEnd ?? .max), of: soundTiming))
    }
    let key = pictures.first.flatMap { $0.isSync ? $0.bytes : nil } ?? 0..<0
    guard let segment = segments.indices.last, let mediaBytes = UInt32(exactly: bytes) else {
      throw SampleCursor.fault("has \(bytes) bytes of samples in one block, which is too many")
    }
    blocks.append(
      BlockRow(
        time: blockTime, payloadOffset: UInt64(taken.payload + payload.count), keyFrame: key, mediaBytes: mediaBytes,
        hasMoreKeyFrames: syncCount > (key.isEmpty ? 0 : 1), missing: [],
        initialization: segments[segment].initialization))
    SampleBlock.encode(leading: pictures, sound: beside, into: &payload, by: &room)
    bytesOfSegment += bytes
    samplesOfSegment += count
    guard bytesOfSegment <= UInt64(UInt32.max), taken.payload + payload.count <= Limits.sampleIndex else {
      throw .tooMuch(BoxPlace("moov", at: 0), of: "bytes in its sample index", limit: UInt64(Limits.sampleIndex))
    }
    segments[segment].mediaBytes = UInt32(bytesOfSegment)
    scan = 0
    blockBytes = 0
  }

  /// Removes and returns all rows that will not change. The row of the last segment stays, because more blocks will be
  /// added to the segment.
  mutating func takeRows() -> IndexRows {
    let rows = IndexRows(
      before: taken, segments: Array(segments.dropLast()), blocks: blocks, payload: payload)
    taken = rows.after
    segments = segments.suffix(1)
    blocks = []
    payload = []
    return rows
  }

  /// Returns the remaining rows at the end of the recording.
  func lastRows() -> IndexRows { IndexRows(before: taken, segments: segments, blocks: blocks, payload: payload) }

  /// Marks the blocks whose key frames lack parameter sets that a decoder needs.
  ///
  /// - Parameter missing: returns the parameter sets that are missing in the key frame at a range.
  mutating func markKeyFrames(_ missing: (Range<UInt64>) throws(MP4Error) -> ParameterSets) throws(MP4Error) {
    for index in blocks.indices where blocks[index].beginsWithKeyFrame {
      blocks[index].missing = try missing(blocks[index].keyFrame)
    }
  }
}
