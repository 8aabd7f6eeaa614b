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
  private var builder: SampleIndexBuilder
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
  init(_ movie: Movie, _ layout: GrowingLayout, firstFragment first: UInt64) {
    self.movie = movie
    self.layout = layout
    position = first
    end = first
    var indices: [UInt32: Int] = [:]
    for (index, track) in movie.tracks.enumerated() { indices[track.id] = index }
    trackIndices = indices
    leading = GrowingTrack(id: layout.leading.id, isSound: layout.leading.handler == "soun")
    sound = layout.sound.map { GrowingTrack(id: $0.id, isSound: true) }
    builder = SampleIndexBuilder(
      timing: layout.leading.timing, soundTiming: layout.sound?.timing,
      rules: layout.needsParameterSets ? .growingByKeyFrame : .growing)
  }

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
    if let last = leading.last { rest.leading.append(last) }
    if let last = sound?.last { rest.sound.append(last) }
    rest.isLeadingComplete = true
    rest.isSoundComplete = true
    _ = try rest.advance()
    try layout.mark(&rest, in: source)
    let header = try layout.header(descriptions: rest.descriptions, end: rest.end, fileLength: end)
    return FilmGrowth(
      header: header, settled: settled, open: rest.lastRows(), isClosed: isClosed, fragments: fragments.take())
  }

  /// Checks that the `moov` is unchanged. Some recorders rewrite the beginning of a file when they close it, and its
  /// film must then start over.
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
    try settle()
  }

  /// - Returns: true if the box is part of the recording.
  private mutating func take<Source: ByteSource>(
    _ box: TopLevelBox, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> Bool {
    switch box.type {
    case "moof":
      guard try settle() else { return false }
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
  private mutating func settle() throws(MP4Error) -> Bool {
    guard let pending else { return true }
    guard pending.isWhole else { return false }
    self.pending = nil
    let fragment = pending.fragment
    sampleCount += fragment.sampleCount
    guard sampleCount <= Limits.samples else { return false }
    var block = SampleBlock()
    try fragment.forEachRun(of: movie, trackIndices: trackIndices) { (run) throws(MP4Error) in
      guard let index = run.track else { return }
      let id = movie.tracks[index].id
      // The data of a run without bytes may be at any offset.
      let data = fragment.data ?? pending.box.end..<pending.box.end
      let offset = data.contains(run.dataOffset) ? run.dataOffset : data.lowerBound
      if id == leading.id {
        try leading.append(run, at: offset, in: fragment.buffer, to: &builder.leading, &block.leading)
      } else if id == sound?.id {
        try sound?.append(run, at: offset, in: fragment.buffer, to: &builder.sound, &block.sound)
      }
    }
    end = pending.mediaEnd
    if !block.leading.isEmpty || !block.sound.isEmpty { fragments.add(block, of: layout.leading.timing) }
    return true
  }
}
