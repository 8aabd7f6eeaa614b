/// A reader of the fragments of a film, for tests: plain, and independent of the code under test.

/// Bytes with their boxes (ISO/IEC 14496-12 §4.2).
package struct BoxBytes {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package struct Box {
    package let type: String
    /// The range of the whole box, and that of its content.
    package let whole: Range<Int>
    package let content: Range<Int>
  }

  package func number(_ place: Int, _ count: Int) -> Int {
    guard place >= 0, place + count <= bytes.count else { return 0 }
    return bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  package func boxes(in range: Range<Int>? = nil) -> [Box] {
    let range = range ?? 0..<bytes.count
    var found: [Box] = []
    var place = range.lowerBound
    while place + 8 <= range.upperBound {
      var (size, header) = (number(place, 4), 8)
      if size == 1 { (size, header) = (number(place + 8, 8), 16) }
      if size == 0 { size = range.upperBound - place }
      guard size >= header, size <= range.upperBound - place else { break }
      found.append(
        Box(
          type: String(decoding: bytes[(place + 4)..<(place + 8)], as: UTF8.self), whole: place..<(place + size),
          content: (place + header)..<(place + size)))
      place += size
    }
    return found
  }

  /// Returns the boxes at a path, of all parents of that type.
  package func all(_ path: String, in range: Range<Int>? = nil) -> [Box] {
    var found: [Box] = []
    for (depth, type) in path.split(separator: "/").enumerated() {
      let parents = depth == 0 ? [range] : found.map(\.content)
      found = parents.flatMap { boxes(in: $0) }.filter { $0.type == type }
    }
    return found
  }
}

/// A fragment: `moof` and the `mdat` after it.
package struct ReadFragment {
  package struct Sample {
    package let bytes: Range<Int>
    package let duration: Int
    package let flags: Int
    /// The composition offset in ticks.
    package let offset: Int
  }

  package struct Track {
    package let id: Int
    /// The time at which the first sample is decoded, in ticks.
    package let time: Int
    /// The samples of each run.
    package let runs: [[Sample]]

    package var samples: [Sample] { runs.flatMap { $0 } }
    /// True if a decoder can begin with the first sample, as its flags say.
    package var beginsWithSync: Bool { (runs.first?.first?.flags ?? 0) & 0x1_0000 == 0 }
  }

  package let tracks: [Track]
  /// The payload of the `mdat`.
  package let media: Range<Int>

  /// Returns the fragments of a segment, or of several in a row.
  package static func all(in file: BoxBytes) -> [ReadFragment] {
    let boxes = file.boxes()
    return zip(boxes, boxes.dropFirst()).compactMap { head, media in
      guard head.type == "moof", media.type == "mdat" else { return nil }
      let tracks = file.all("traf", in: head.content).map { track(file, $0, from: head.whole.lowerBound) }
      return ReadFragment(tracks: tracks, media: media.content)
    }
  }

  /// Reads a `traf` (ISO/IEC 14496-12 §8.8.6 to §8.8.8). Its offsets count from the `moof`.
  private static func track(_ file: BoxBytes, _ traf: BoxBytes.Box, from start: Int) -> Track {
    var (id, time, duration, size, flags) = (0, 0, 0, 0, 0)
    for header in file.all("tfhd", in: traf.content) {
      let present = file.number(header.content.lowerBound + 1, 3)
      id = file.number(header.content.lowerBound + 4, 4)
      var place = header.content.lowerBound + 8
      func next(_ flag: Int, _ count: Int = 4) -> Int? {
        guard present & flag != 0 else { return nil }
        place += count
        return file.number(place - count, count)
      }
      _ = next(1, 8)
      _ = next(2)
      duration = next(8) ?? 0
      size = next(0x10) ?? 0
      flags = next(0x20) ?? 0
    }
    for box in file.all("tfdt", in: traf.content) {
      time = file.number(box.content.lowerBound + 4, file.bytes[box.content.lowerBound] == 1 ? 8 : 4)
    }
    let runs = file.all("trun", in: traf.content).map { run in
      let present = file.number(run.content.lowerBound + 1, 3)
      var place = run.content.lowerBound + 8
      func next(_ flag: Int) -> Int? {
        guard present & flag != 0 else { return nil }
        place += 4
        return file.number(place - 4, 4)
      }
      var data = start + (next(1) ?? 0)
      let first = next(4)
      return (0..<file.number(run.content.lowerBound + 4, 4)).map { index in
        let length = next(0x100) ?? duration
        let bytes = next(0x200) ?? size
        let own = next(0x400) ?? (index == 0 ? first : nil) ?? flags
        let offset = Int(Int32(truncatingIfNeeded: next(0x800) ?? 0))
        data += bytes
        return Sample(bytes: (data - bytes)..<data, duration: length, flags: own, offset: offset)
      }
    }
    return Track(id: id, time: time, runs: runs)
  }
}
