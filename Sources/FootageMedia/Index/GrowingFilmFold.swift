internal import FootageBase

/// A fold of a growing recording's fragments into an index of its samples. Each fragment is read once.
///
/// A film is cut as it would be for the whole recording. Its layout is that of the index at the film's beginning, and
/// does not change afterwards.
struct GrowingFilmFold: Sendable {
  /// The offset in the file of the first box that was not added.
  private var position: UInt64
  private let movie: Movie
  private let trackIndices: [UInt32: Int]
  /// The parts of the index that stay the same from the film's beginning.
  private let layout: GrowingLayout
  private var leading: GrowingTrack
  private var sound: GrowingTrack?
  private var clock: FragmentClock
  private var builder: SampleIndexBuilder
  /// The check of every picture that is marked as a key frame.
  private var check: KeyFrameCheck?
  private var pending: PendingFragment?
  private var sampleCount = 0
  /// The end of the last complete fragment in the file.
  private var end: UInt64
  private var fragments = RecentFragments()
  /// True if the rest of the file is not part of the recording.
  private var isOver = false

  /// - Parameters:
  ///   - movie: the movie in the recorder's file.
  ///   - first: the offset of the first fragment in the file.
  /// - Throws: `malformed` if the samples in `moov` are broken.
  init(_ movie: Movie, _ layout: GrowingLayout, firstFragment first: UInt64) throws(MP4Error) {
    self.movie = movie
    self.layout = layout
    position = first
    end = first
    var indices: [UInt32: Int] = [:]
    for (index, track) in movie.tracks.enumerated() { indices[track.id] = index }
    trackIndices = indices
    clock = FragmentClock(timescales: movie.tracks.map(\.timescale))
    leading = GrowingTrack(id: layout.leading.id, isSound: layout.leading.handler == "soun")
    sound = layout.sound.map { GrowingTrack(id: $0.id, isSound: true) }
    check = movie.tracks.first { $0.id == layout.leading.id && $0.handler == "vide" }
      .flatMap { KeyFrameCheck($0.sampleEntries) }
    builder = SampleIndexBuilder(
      timing: layout.leading.timing, soundTiming: layout.sound?.timing,
      rules: layout.needsParameterSets ? .growingByKeyFrame : .growing)
    sampleCount = movie.sampleCount
    try takeInTables(upTo: first)
  }

  /// Adds the samples that `moov` itself holds, before those of fragments.
  ///
  /// - Parameter end: the offset of the first fragment in the file.
  private mutating func takeInTables(upTo end: UInt64) throws(MP4Error) {
    guard movie.sampleCount > 0 else { return }
    let map = FilePlaces(Composition(then: [0..<end]))
    let mended = try movie.mended() ?? movie
    for (index, track) in movie.tracks.enumerated() where track.samples.count > 0 {
      var samples = SampleQueue()
      let track = mended.tracks.first { $0.id == track.id } ?? track
      var cursor = SampleCursor(track, in: mended.buffer, map: map)
      let isShown = track.id == leading.id || track.id == sound?.id
      while !cursor.isAtEnd {
        let known = samples.count
        try cursor.move(Self.step, to: &samples, in: mended.buffer)
        for sample in samples.first(samples.count).dropFirst(known) {
          _ = clock.tracks[index].pass(duration: sample.duration)
        }
        if !isShown { samples.removeFirst(samples.count) }
      }
      if track.id == leading.id { leading.begin(with: samples, to: &builder.leading) }
      if track.id == sound?.id { sound?.begin(with: samples, to: &builder.sound) }
    }
  }

  /// The number of a track's samples that are taken from `moov` at once.
  private static let step = 1_024

  /// Adds the new fragments, and returns the growth.
  ///
  /// - Parameter isClosed: true if the recording has ended.
  /// - Throws: `unreadable`, after which the caller may try again, or else the fault that ends the film.
  mutating func look(_ source: some ByteSource, isClosed: Bool) throws(MP4Error) -> FilmGrowth {
    try takeIn(source)
    if isClosed { try checkBeginning(source) }
    _ = try builder.advance()
    guard builder.leastOffset >= layout.leading.leastOffset,
      builder.leastSoundOffset >= layout.sound?.leastOffset ?? 0
    else { throw SampleCursor.fault("has pictures that are shown earlier than all previous ones") }
    try layout.mark(&builder, in: source)
    let settled = builder.takeRows()
    var rest = builder
    if let last = last(of: leading) { rest.leading.append(last) }
    if let last = sound.flatMap(last) { rest.sound.append(last) }
    rest.isLeadingComplete = true
    rest.isSoundComplete = true
    _ = try rest.advance()
    try layout.mark(&rest, in: source)
    let header = try layout.header(descriptions: rest.descriptions, end: rest.end, fileLength: end)
    return FilmGrowth(
      header: header, settled: settled, open: rest.lastRows(), isClosed: isClosed, fragments: fragments.take())
  }

  /// Returns a track's last sample, as if nothing would follow it.
  private func last(of track: GrowingTrack) -> IndexedSample? {
    guard var last = track.last, let index = trackIndices[track.id] else { return nil }
    last.duration = UInt32(clamping: clock.lastDuration(of: index))
    return last
  }

  /// Checks that the `moov` is unchanged. Some recorders rewrite the beginning of a file when they close it, which
  /// makes it a different recording.
  private func checkBeginning(_ source: some ByteSource) throws(MP4Error) {
    var scanner = TopLevelScanner(source)
    let start = movie.buffer.fileOffset
    guard try scanner.read(start..<(start + UInt64(movie.buffer.bytes.count))) == movie.buffer.bytes else {
      throw .malformed(BoxPlace("moov", at: start), "was rewritten")
    }
  }

  private mutating func takeIn(_ source: some ByteSource) throws(MP4Error) {
    var scanner = TopLevelScanner(source, from: position)
    while !isOver, case .box(let box) = try scanner.next(), !box.reachesEnd {
      if try !take(box, &scanner) { isOver = true }
      position = box.end
    }
    try settle(source)
  }

  /// - Returns: true if the box is part of the recording.
  private mutating func take<Source: ByteSource>(
    _ box: TopLevelBox, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> Bool {
    switch box.type {
    case "moof":
      guard try settle(scanner.source) else { return false }
      do throws(MP4Error) {
        let buffer = try scanner.read(box, limit: Limits.fragmentBox)
        pending = PendingFragment(try MovieFragment(buffer, of: movie, trackIndices: trackIndices), box)
      } catch {
        if case .unreadable = error { throw error }
        return false
      }
    case "mdat": pending?.add(box)
    case "moov", "ftyp": return false
    default: break
    }
    return true
  }

  /// Adds the samples of the pending fragment if it is complete.
  ///
  /// - Returns: false if it is not whole, or if there are too many samples. The recording then ends before the next
  ///   fragment.
  @discardableResult
  private mutating func settle(_ source: some ByteSource) throws(MP4Error) -> Bool {
    guard let pending else { return true }
    guard pending.isWhole else { return false }
    self.pending = nil
    let fragment = pending.fragment
    try fragment.forEachRun(of: movie, trackIndices: trackIndices) { (run) throws(MP4Error) in
      guard let id = run.track.map({ movie.tracks[$0].id }) else { return }
      sampleCount += id == leading.id || id == sound?.id ? run.count : run.entryCount
    }
    guard sampleCount <= Limits.samples else { return false }
    var block = SampleBlock()
    clock.enter(fragment.claims)
    try fragment.forEachRun(of: movie, trackIndices: trackIndices) { (run) throws(MP4Error) in
      guard let index = run.track else { return }
      let id = movie.tracks[index].id
      // The data of a run without bytes may be at any offset.
      let data = fragment.data ?? pending.box.end..<pending.box.end
      let offset = data.contains(run.dataOffset) ? run.dataOffset : data.lowerBound
      if id == leading.id {
        try leading.append(
          run, at: offset, in: fragment.buffer, to: &builder.leading, &block.leading, &clock.tracks[index]
        ) { (sample) in
          // A picture that cannot be read now keeps its mark, and the film goes on.
          (try? check?.isKeyFrame(sample, in: source)) ?? true
        }
      } else if id == sound?.id {
        try sound?.append(
          run, at: offset, in: fragment.buffer, to: &builder.sound, &block.sound, &clock.tracks[index])
      } else {
        clock.tracks[index].pass(run, in: fragment.buffer)
      }
    }
    end = pending.mediaEnd
    if !block.leading.isEmpty || !block.sound.isEmpty { fragments.add(block, of: layout.leading.timing) }
    return true
  }
}
