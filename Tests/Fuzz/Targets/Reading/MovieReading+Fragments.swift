/// A reader of fragments (ISO/IEC 14496-12 §8.8), one sample after the other.

extension MovieReading {
  /// The default values for the samples of a track fragment.
  private struct Defaults {
    var description: UInt32 = 1
    var duration: UInt32 = 0
    var size: UInt32 = 0
    var flags: UInt32 = 0
  }

  mutating func readFragments(
    _ top: ArraySlice<BoxPlaces.Place>, of movie: BoxPlaces.Place, _ places: BoxPlaces
  ) {
    var defaults: [UInt32: Defaults] = [:]
    if let extends = places.child("mvex", of: movie) {
      for box in places.children("trex", of: extends) {
        defaults[places.word(box, at: 4)] = Defaults(
          description: places.word(box, at: 8), duration: places.word(box, at: 12), size: places.word(box, at: 16),
          flags: places.word(box, at: 20))
      }
    }
    for fragment in top where fragment.isA("moof") {
      var implicitBase = UInt64(fragment.start)
      for box in places.children("traf", of: fragment) {
        guard let end = readTrackFragment(box, of: fragment, base: implicitBase, defaults, places) else {
          isWhole = false
          return
        }
        implicitBase = end
      }
    }
    // Bytes after the last box belong to a box that was cut off.
    if let last = top.last, last.end < places.bytes.count { isWhole = false }
  }

  /// Reads a track fragment.
  ///
  /// - Returns: the default offset of the next one's data; nil if this one cannot be read.
  private mutating func readTrackFragment(
    _ box: BoxPlaces.Place, of fragment: BoxPlaces.Place, base implicitBase: UInt64, _ defaults: [UInt32: Defaults],
    _ places: BoxPlaces
  ) -> UInt64? {
    guard let header = places.child("tfhd", of: box) else { return nil }
    let flags = places.word(header, at: 0)
    let id = places.word(header, at: 4)
    var said = defaults[id] ?? Defaults()
    var offset = 8
    func next(_ width: Int) -> UInt64 {
      defer { offset += width }
      return places.number(header, at: offset, bytes: width)
    }
    var base = flags & 0x2_0000 != 0 ? UInt64(fragment.start) : implicitBase
    if flags & 0x1 != 0 { base = next(8) }
    if flags & 0x2 != 0 { said.description = UInt32(next(4)) }
    if flags & 0x8 != 0 { said.duration = UInt32(next(4)) }
    if flags & 0x10 != 0 { said.size = UInt32(next(4)) }
    if flags & 0x20 != 0 { said.flags = UInt32(next(4)) }
    var time: Int64?
    if let box = places.child("tfdt", of: box) {
      let isLong = places.word(box, at: 0) >> 24 == 1
      time = Int64(exactly: places.number(box, at: 4, bytes: isLong ? 8 : 4))
      if time == nil { return nil }
    }
    let track = tracks.firstIndex { $0.id == id }
    var data = base
    for run in places.children("trun", of: box) {
      guard readRun(run, of: track, base: base, said, &data, &time, places) else { return nil }
    }
    return data
  }

  /// Reads a run.
  ///
  /// - Returns: true if it could be read.
  private mutating func readRun(
    _ run: BoxPlaces.Place, of track: Int?, base: UInt64, _ defaults: Defaults, _ data: inout UInt64,
    _ time: inout Int64?, _ places: BoxPlaces
  ) -> Bool {
    let flags = places.word(run, at: 0)
    let count = Int(places.word(run, at: 4))
    var offset = 8
    func next() -> UInt32 {
      defer { offset += 4 }
      return places.word(run, at: offset)
    }
    if flags & 0x1 != 0 {
      let relative = Int64(Int32(bitPattern: next()))
      guard let start = Int64(exactly: base) else { return false }
      let (sum, overflow) = start.addingReportingOverflow(relative)
      guard !overflow, sum >= 0 else { return false }
      data = UInt64(sum)
    }
    let firstFlags = flags & 0x4 != 0 ? next() : nil
    let width = 4 * (flags >> 8 & 15).nonzeroBitCount
    guard count <= TrackReading.sampleLimit, run.content + offset + count * width <= run.end else { return false }
    for index in 0..<count {
      let duration = flags & 0x100 != 0 ? next() : defaults.duration
      let size = Int(flags & 0x200 != 0 ? next() : defaults.size)
      var sampleFlags = flags & 0x400 != 0 ? next() : defaults.flags
      if index == 0, let firstFlags { sampleFlags = firstFlags }
      let compositionOffset = flags & 0x800 != 0 ? Int64(Int32(bitPattern: next())) : 0
      let isInside = size <= places.bytes.count && data <= UInt64(places.bytes.count - size)
      guard size == 0 || isInside else { return false }
      if let track, tracks[track].samples.count < TrackReading.sampleLimit {
        let start = time ?? tracks[track].endTime
        // sample_is_non_sync_sample is set, or the sample depends on others. Decoding of sound can begin at any sample.
        let isKeyFrame =
          tracks[track].handler == Array("soun".utf8) || (sampleFlags & 0x1_0000 == 0 && sampleFlags >> 24 & 1 == 0)
        tracks[track].samples.append(
          SampleReading(
            bytes: size == 0 ? 0..<0 : Int(data)..<(Int(data) + size), time: start,
            compositionOffset: compositionOffset, isKeyFrame: isKeyFrame, description: defaults.description))
        let (end, overflow) = start.addingReportingOverflow(Int64(duration))
        guard !overflow else { return false }
        tracks[track].endTime = end
        time = nil
      }
      data = data.addingReportingOverflow(UInt64(size)).partialValue
    }
    return true
  }
}
