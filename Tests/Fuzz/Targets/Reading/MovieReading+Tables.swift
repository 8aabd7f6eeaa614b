/// A reader of sample tables (ISO/IEC 14496-12 §8.5 to §8.7), one sample after the other.

extension MovieReading {
  /// - Returns: nil if there is no readable `moov`.
  init?(_ bytes: [UInt8]) {
    let places = BoxPlaces(bytes: bytes)
    let top = places.boxes(in: 0..<bytes.count, isTop: true)
    guard let movie = top.first(where: { $0.isA("moov") }), let header = places.child("mvhd", of: movie) else {
      return nil
    }
    timescale = places.word(header, at: places.word(header, at: 0) >> 24 == 1 ? 20 : 12)
    tracks = places.children("trak", of: movie).compactMap { Self.track($0, places) }
    if let first = top.firstIndex(where: { $0.isA("moof") }) {
      isFragmented = true
      readFragments(top[first...], of: movie, places)
    }
  }

  /// Reads a track's header and tables.
  ///
  /// - Returns: nil for a track without a readable description.
  private static func track(_ track: BoxPlaces.Place, _ places: BoxPlaces) -> TrackReading? {
    guard let header = places.child("tkhd", of: track), let media = places.child("mdia", "mdhd", of: track),
      let handler = places.child("mdia", "hdlr", of: track),
      let table = places.child("mdia", "minf", "stbl", of: track)
    else { return nil }
    var reading = TrackReading(
      id: places.word(header, at: places.word(header, at: 0) >> 24 == 1 ? 20 : 12),
      handler: Array(places.bytes[min(handler.content + 8, handler.end)..<min(handler.content + 12, handler.end)]),
      timescale: places.word(media, at: places.word(media, at: 0) >> 24 == 1 ? 20 : 12))
    reading.edits = edits(of: track, places)
    readSamples(of: table, into: &reading, places)
    return reading
  }

  private static func edits(of track: BoxPlaces.Place, _ places: BoxPlaces) -> (empty: UInt64, mediaTime: Int64)? {
    guard let list = places.child("edts", "elst", of: track) else { return (0, 0) }
    let width = places.word(list, at: 0) >> 24 == 1 ? 8 : 4
    var empty: UInt64 = 0
    var mediaTime: Int64?
    for index in 0..<places.count(list, said: 4, from: 8, width: 2 * width + 4) {
      let start = 8 + index * (2 * width + 4)
      let time = places.number(list, at: start + width, bytes: width)
      let signed = width == 8 ? Int64(bitPattern: time) : Int64(Int32(truncatingIfNeeded: time))
      // Media that is shown in two pieces does not have a single time at which it begins.
      if mediaTime != nil { return nil }
      if signed == -1 {
        let (sum, isTooLarge) = empty.addingReportingOverflow(places.number(list, at: start, bytes: width))
        empty = isTooLarge ? .max : sum
      } else {
        mediaTime = signed
      }
    }
    return (empty, mediaTime ?? 0)
  }

  private static func readSamples(
    of table: BoxPlaces.Place, into track: inout TrackReading, _ places: BoxPlaces
  ) {
    let sizes = sampleSizes(of: table, places)
    let times = runs("stts", of: table, places, limit: sizes.count)
    let offsets = runs("ctts", of: table, places, limit: sizes.count)
    if times.count != sizes.count { track.contradiction = "'stts' is not about every sample" }
    if !offsets.isEmpty, offsets.count != sizes.count { track.contradiction = "'ctts' is not about every sample" }
    var keyFrames: Set<UInt32>?
    if let box = places.child("stss", of: table) {
      let numbers = (0..<places.count(box, said: 4, from: 8, width: 4)).map { places.word(box, at: 8 + 4 * $0) }
      if numbers != numbers.sorted() { track.contradiction = "'stss' goes back" }
      keyFrames = Set(numbers)
    }
    guard let chunks = places.child("stsc", of: table) else { return }
    let rows = (0..<places.count(chunks, said: 4, from: 8, width: 12)).map { row in
      (0..<3).map { places.word(chunks, at: 8 + 12 * row + 4 * $0) }
    }
    var time: Int64 = 0
    for (chunk, offset) in chunkOffsets(of: table, places).enumerated() {
      guard let row = rows.last(where: { Int($0[0]) <= chunk + 1 }) else { continue }
      var position = offset
      for _ in 0..<min(Int(row[1]), sizes.count - track.samples.count) {
        let index = track.samples.count
        let size = Int(sizes[index])
        let isInside = size > 0 && position <= UInt64(places.bytes.count - min(size, places.bytes.count))
        if size > 0, !isInside { track.contradiction = "sample \(index + 1) lies outside of the file" }
        track.samples.append(
          SampleReading(
            bytes: isInside ? Int(position)..<(Int(position) + size) : 0..<0, time: time,
            compositionOffset: index < offsets.count ? Int64(Int32(bitPattern: offsets[index])) : 0,
            isKeyFrame: keyFrames?.contains(UInt32(index + 1)) ?? true, description: row[2]))
        time += index < times.count ? Int64(times[index]) : 0
        position = position.addingReportingOverflow(UInt64(size)).partialValue
      }
      if track.samples.count == sizes.count { break }
    }
    track.endTime = time
  }

  private static func sampleSizes(of table: BoxPlaces.Place, _ places: BoxPlaces) -> [UInt32] {
    let limit = TrackReading.sampleLimit
    if let box = places.child("stsz", of: table) {
      let common = places.word(box, at: 4)
      if common > 0 { return Array(repeating: common, count: min(limit, Int(places.word(box, at: 8)))) }
      return (0..<min(limit, places.count(box, said: 8, from: 12, width: 4))).map { places.word(box, at: 12 + 4 * $0) }
    }
    guard let box = places.child("stz2", of: table) else { return [] }
    let bits = Int(places.number(box, at: 7, bytes: 1))
    guard [4, 8, 16].contains(bits) else { return [] }
    return (0..<min(limit, Int(places.word(box, at: 8)))).map { index in
      switch bits {
      case 16: UInt32(places.number(box, at: 12 + 2 * index, bytes: 2))
      case 8: UInt32(places.number(box, at: 12 + index, bytes: 1))
      default: UInt32(places.number(box, at: 12 + index / 2, bytes: 1) >> (index % 2 == 0 ? 4 : 0) & 15)
      }
    }
  }

  private static func chunkOffsets(of table: BoxPlaces.Place, _ places: BoxPlaces) -> [UInt64] {
    for (name, width) in [("stco", 4), ("co64", 8)] {
      guard let box = places.child(name, of: table) else { continue }
      return (0..<places.count(box, said: 4, from: 8, width: width)).map {
        places.number(box, at: 8 + width * $0, bytes: width)
      }
    }
    return []
  }

  /// Returns one value per sample.
  private static func runs(
    _ name: String, of table: BoxPlaces.Place, _ places: BoxPlaces, limit: Int
  ) -> [UInt32] {
    guard let box = places.child(name, of: table) else { return [] }
    var values: [UInt32] = []
    for row in 0..<places.count(box, said: 4, from: 8, width: 8) {
      let count = Int(places.word(box, at: 8 + 8 * row))
      // One more than the number of samples is enough to see the contradiction.
      values += Array(repeating: places.word(box, at: 12 + 8 * row), count: min(count, limit + 1 - values.count))
      if values.count > limit { break }
    }
    return values
  }
}
