/// The rules for the media of films and clips: nothing is sent that nobody shows, and each segment keeps what its
/// playlist promises. Violations are in words.
package enum MediaChecker {
  /// The part of a `mdat` that may be no sample: boxes between the samples of a fragmented file.
  private static let elseAtMost = 0.05

  // MARK: Segments

  /// Returns the rules that a segment breaks.
  ///
  /// - Parameters:
  ///   - initialization: its init segment; nil if only the segment itself is checked.
  ///   - seconds: its EXTINF, or nil.
  ///   - beginsFilm: true for the first one of a film, or of a part after a gap: its sound may begin before its pictures.
  ///   - isIndependent: true if the playlist says that a decoder can begin with it (RFC 8216 §4.3.5.1).
  package static func violations(
    ofSegment bytes: [UInt8], initialization: [UInt8]? = nil, seconds: Double? = nil, beginsFilm: Bool = false,
    isIndependent: Bool = false
  ) -> [String] {
    let file = BoxBytes(bytes)
    let fragments = ReadFragment.all(in: file)
    guard !fragments.isEmpty else { return ["there is no fragment"] }
    var found = fragments.flatMap { violations(of: $0) }
    if file.boxes().last?.whole.upperBound != bytes.count { found.append("bytes follow the last box") }
    guard let initialization, let leading = fragments.first?.tracks.first else { return found }
    let descriptions = BoxBytes(initialization)
    guard let trak = descriptions.all("moov/trak").first(where: { id(of: $0, in: descriptions) == leading.id }) else {
      return found + ["the init segment has no track \(leading.id)"]
    }
    if let seconds {
      let length = length(of: leading, timescale: timescale(of: trak, in: descriptions))
      var start = length.start
      for track in fragments[0].tracks.dropFirst() where beginsFilm {
        guard let trak = descriptions.all("moov/trak").first(where: { id(of: $0, in: descriptions) == track.id }) else {
          continue
        }
        start = min(start, self.length(of: track, timescale: timescale(of: trak, in: descriptions)).start)
      }
      // The part of the sound before the pictures counts as far as an edit list shows it. An EXTINF has hundred
      // thousandths of a second.
      let tolerance = length.usual + 0.000_02
      if seconds < length.end - length.start - tolerance || seconds > length.end - start + tolerance {
        found.append("its EXTINF is \(seconds), but its samples last \(length.end - length.start) s")
      }
    }
    if isIndependent {
      if !leading.beginsWithSync { found.append("it does not begin with a key frame, as its playlist says") }
      if let first = leading.samples.first, let entry = entryType(of: trak, in: descriptions),
        !canBegin(with: bytes[first.bytes], entry, lengthSize: lengthSize(of: trak, in: descriptions))
      {
        found.append("no decoder can begin with its first picture")
      }
    }
    return found
  }

  private static func violations(of fragment: ReadFragment) -> [String] {
    var found: [String] = []
    var used = 0
    for track in fragment.tracks {
      if track.samples.isEmpty { found.append("track \(track.id) has no sample") }
      for sample in track.samples {
        if sample.bytes.isEmpty { found.append("a sample of track \(track.id) has no bytes") }
        if sample.bytes.lowerBound < fragment.media.lowerBound || sample.bytes.upperBound > fragment.media.upperBound {
          found.append("a sample of track \(track.id) lies outside of the media")
        }
        used += sample.bytes.count
      }
      for (before, after) in zip(track.runs, track.runs.dropFirst()) {
        if let end = before.last?.bytes.upperBound, end == after.first?.bytes.lowerBound {
          found.append("two runs of track \(track.id) are neighbours")
        }
      }
    }
    return found + surplus(of: fragment.media.count, used)
  }

  private static func surplus(of media: Int, _ used: Int) -> [String] {
    Double(media) <= Double(used) * (1 + elseAtMost) ? [] : ["it has \(media) bytes of media for \(used) of samples"]
  }

  /// Returns the times at which a track's samples begin and end to be shown, and the duration that nine of ten of them have at most, in
  /// seconds.
  private static func length(
    of track: ReadFragment.Track, timescale: Int
  ) -> (start: Double, end: Double, usual: Double) {
    let durations = track.samples.map(\.duration).sorted()
    let second = Double(max(1, timescale))
    var (decoding, start, end) = (track.time, Int.max, Int.min)
    for sample in track.samples {
      start = min(start, decoding + sample.offset)
      end = max(end, decoding + sample.offset + sample.duration)
      decoding += sample.duration
    }
    guard start <= end else { return (0, 0, 0) }
    return (Double(start) / second, Double(end) / second, Double(durations[durations.count * 9 / 10]) / second)
  }

  // MARK: Clips

  /// Returns the rules that a movie with sample tables breaks: a clip, a time lapse, or a key frame.
  package static func violations(ofClip bytes: [UInt8]) -> [String] {
    let file = BoxBytes(bytes)
    let media = file.all("mdat").reduce(0) { $0 + $1.content.count }
    let tables = file.all("moov/trak/mdia/minf/stbl/stsz")
    guard !tables.isEmpty else { return ["there is no movie"] }
    var found: [String] = []
    var used = 0
    for table in tables {
      let (size, count) = (file.number(table.content.lowerBound + 4, 4), file.number(table.content.lowerBound + 8, 4))
      if count == 0 { found.append("a track has no sample") }
      used +=
        size > 0
        ? size * count
        : (0..<count).reduce(0) { $0 + file.number(table.content.lowerBound + 12 + 4 * $1, 4) }
    }
    if used > media { found.append("its samples have \(used) bytes, and its media \(media)") }
    return found + surplus(of: media, used)
  }

  // MARK: Pictures

  /// Returns true if a decoder can begin with a picture: an IDR picture, or one of slices that name no other (ISO/IEC
  /// 14496-10 §7.4.1.2.4, ISO/IEC 23008-2 §7.4.2.2). Other codecs are not looked into.
  private static func canBegin(with picture: ArraySlice<UInt8>, _ entry: String, lengthSize: Int) -> Bool {
    let isAVC = ["avc1", "avc3"].contains(entry)
    guard isAVC || ["hvc1", "hev1"].contains(entry) else { return true }
    var rest = picture
    while rest.count > lengthSize {
      let length = rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      let unit = rest.dropFirst(lengthSize).prefix(length)
      rest = rest.dropFirst(lengthSize + length)
      guard let header = unit.first else { continue }
      if isAVC {
        switch header & 0x1F {
        case 5: return true
        // The first two numbers of a slice of another picture: its first macroblock is 0, and its type.
        case 1: return unit.dropFirst().first.map(isIntraSlice) ?? false
        default: continue
        }
      } else {
        switch header >> 1 & 0x3F {
        case 16...23: return true
        case 0...15: return false
        default: continue
        }
      }
    }
    return false
  }

  /// Returns true if the first byte of a slice header says: macroblock 0 (a bit), then slice type 2 or 7 (011, 0001000).
  private static func isIntraSlice(_ byte: UInt8) -> Bool { byte & 0xF0 == 0b1011_0000 || byte == 0b1000_1000 }

  private static func id(of trak: BoxBytes.Box, in file: BoxBytes) -> Int {
    file.all("tkhd", in: trak.content).first.map {
      file.number($0.content.lowerBound + (file.bytes[$0.content.lowerBound] == 1 ? 20 : 12), 4)
    } ?? 0
  }

  private static func timescale(of trak: BoxBytes.Box, in file: BoxBytes) -> Int {
    file.all("mdia/mdhd", in: trak.content).first.map {
      file.number($0.content.lowerBound + (file.bytes[$0.content.lowerBound] == 1 ? 20 : 12), 4)
    } ?? 0
  }

  private static func entry(of trak: BoxBytes.Box, in file: BoxBytes) -> BoxBytes.Box? {
    file.all("mdia/minf/stbl/stsd", in: trak.content).first.flatMap {
      file.boxes(in: ($0.content.lowerBound + 8)..<$0.content.upperBound).first
    }
  }

  private static func entryType(of trak: BoxBytes.Box, in file: BoxBytes) -> String? { entry(of: trak, in: file)?.type }

  /// Returns the number of bytes before each unit that give its length (ISO/IEC 14496-15 §5.3.3.1, §8.3.3.1).
  private static func lengthSize(of trak: BoxBytes.Box, in file: BoxBytes) -> Int {
    guard let entry = entry(of: trak, in: file), entry.content.count > 78 else { return 4 }
    for box in file.boxes(in: (entry.content.lowerBound + 78)..<entry.content.upperBound) {
      switch box.type {
      case "avcC": return file.number(box.content.lowerBound + 4, 1) & 3 + 1
      case "hvcC": return file.number(box.content.lowerBound + 21, 1) & 3 + 1
      default: continue
      }
    }
    return 4
  }
}
