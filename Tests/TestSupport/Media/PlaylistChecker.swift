/// The rules of RFC 8216 for playlists, as one list of violations in words.
import Foundation

package enum PlaylistChecker {
  /// The tags of a media playlist that this checker knows, and those of them that belong to one segment.
  private static let ofSegments: Set<String> = [
    "EXTINF", "EXT-X-BYTERANGE", "EXT-X-DISCONTINUITY", "EXT-X-KEY", "EXT-X-MAP", "EXT-X-PROGRAM-DATE-TIME",
    "EXT-X-GAP",
  ]
  private static let ofMedia: Set<String> = [
    "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXT-X-DISCONTINUITY-SEQUENCE", "EXT-X-ENDLIST",
    "EXT-X-PLAYLIST-TYPE", "EXT-X-I-FRAMES-ONLY",
  ]
  private static let ofMultivariant: Set<String> = [
    "EXT-X-MEDIA", "EXT-X-STREAM-INF", "EXT-X-I-FRAME-STREAM-INF", "EXT-X-SESSION-DATA",
  ]
  private static let ofBoth: Set<String> = ["EXTM3U", "EXT-X-VERSION", "EXT-X-INDEPENDENT-SEGMENTS", "EXT-X-START"]

  /// The seconds by which the next recording of a camera may begin before the last one has ended: names and files tell
  /// whole seconds.
  private static let overlap = 1.0

  /// Returns the rules that a playlist of either kind breaks.
  package static func violations(in text: String) -> [String] {
    let playlist = Playlist(text)
    return general(playlist) + (playlist.isMultivariant ? multivariant(playlist) : media(playlist))
  }

  // MARK: Both kinds

  private static func general(_ playlist: Playlist) -> [String] {
    var found: [String] = []
    // §4.1, §4.3.1.1
    if playlist.lines.first != "#EXTM3U" { found.append("the first line is not #EXTM3U") }
    if !playlist.text.hasSuffix("\n") { found.append("the last line has no end") }
    if playlist.text.unicodeScalars.contains(where: { $0 != "\n" && $0.properties.generalCategory == .control }) {
      found.append("there is a control character")
    }
    if playlist.text.hasPrefix("\u{FEFF}") { found.append("there is a byte order mark") }
    let known = ofSegments.union(ofMedia).union(ofMultivariant).union(ofBoth)
    for tag in playlist.tags where !known.contains(tag.name) { found.append("the tag \(tag.name) is unknown") }
    for name in ofMedia.union(ofBoth) where playlist.values(name).count > 1 { found.append("\(name) is there twice") }
    // §4.3.1.2, §7
    let version = playlist.values("EXT-X-VERSION").first.map { Int($0) ?? 0 } ?? 1
    let needed = neededVersion(playlist)
    if version < needed { found.append("the version is \(version), but \(needed) is needed") }
    return found
  }

  /// Returns the protocol version that a client needs (RFC 8216 §7).
  private static func neededVersion(_ playlist: Playlist) -> Int {
    if playlist.has("EXT-X-MAP") { return playlist.has("EXT-X-I-FRAMES-ONLY") ? 5 : 6 }
    if playlist.has("EXT-X-BYTERANGE") || playlist.has("EXT-X-I-FRAMES-ONLY") { return 4 }
    return playlist.values("EXTINF").contains { $0.prefix { $0 != "," }.contains(".") } ? 3 : 1
  }

  // MARK: Media playlists

  private static func media(_ playlist: Playlist) -> [String] {
    var found: [String] = []
    for name in ofMultivariant where playlist.has(name) { found.append("\(name) belongs into a multivariant playlist") }
    if playlist.target ?? 0 < 1 { found.append("there is no EXT-X-TARGETDURATION with a whole number") }
    if let type = playlist.values("EXT-X-PLAYLIST-TYPE").first, !["VOD", "EVENT"].contains(type) {
      found.append("EXT-X-PLAYLIST-TYPE is \(type)")
    }
    // §4.3.3.5: a playlist of this type does not change, so that a client would wait for its end in vain.
    if playlist.values("EXT-X-PLAYLIST-TYPE").first == "VOD", !playlist.has("EXT-X-ENDLIST") {
      found.append("a VOD playlist has no EXT-X-ENDLIST")
    }
    for tag in playlist.rest where ofSegments.contains(tag.name) { found.append("\(tag.name) has no segment after it") }
    // What holds for the whole playlist is known before its first segment (§4.3.3.2, §4.3.3.3).
    for entry in playlist.entries.dropFirst() {
      for tag in entry.tags where ofMedia.union(ofBoth).contains(tag.name) && tag.name != "EXT-X-ENDLIST" {
        found.append("\(tag.name) comes after the first segment")
      }
    }
    return found + segments(playlist) + maps(playlist) + dates(playlist)
  }

  private static func segments(_ playlist: Playlist) -> [String] {
    var found: [String] = []
    var known: Set<String> = []
    for (number, entry) in playlist.entries.enumerated() {
      // §4.3.2.1
      let texts = entry.tags.filter { $0.name == "EXTINF" }.map(\.value)
      if texts.count != 1 { found.append("segment \(number) has \(texts.count) EXTINF") }
      for text in texts {
        if !text.contains(",") { found.append("the EXTINF of segment \(number) has no comma") }
        let number = text.prefix { $0 != "," }
        if number.isEmpty || !number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) || Double(number) == nil {
          found.append("an EXTINF is \(text)")
        }
      }
      if let seconds = entry.seconds {
        if seconds <= 0 { found.append("segment \(number) lasts \(seconds) s") }
        // §4.3.3.1
        if let target = playlist.target, seconds.rounded() > Double(target) {
          found.append("segment \(number) lasts \(seconds) s, but the target is \(target)")
        }
      }
      if !known.insert(entry.uri).inserted { found.append("\(entry.uri) is listed twice") }
      if entry.uri.contains(where: \.isWhitespace) || URL(string: entry.uri) == nil {
        found.append("segment \(number) has no URI: \(entry.uri)")
      }
    }
    return found
  }

  /// Checks §4.3.2.5. Another init segment also needs a discontinuity, since the format changes with it (§4.3.2.3).
  private static func maps(_ playlist: Playlist) -> [String] {
    var found: [String] = []
    var present: String?
    for (number, entry) in playlist.entries.enumerated() {
      let maps = entry.tags.filter { $0.name == "EXT-X-MAP" }
      if maps.count > 1 { found.append("segment \(number) has \(maps.count) EXT-X-MAP") }
      if let map = maps.last {
        let uri = Playlist.attributes(map.value)?["URI"]
        if uri == nil || uri?.hasPrefix("\"") == false { found.append("an EXT-X-MAP has no URI: \(map.value)") }
        if let present, map.value != present, !entry.has("EXT-X-DISCONTINUITY") {
          found.append("segment \(number) has another EXT-X-MAP without a discontinuity")
        }
        present = map.value
      }
      if number == 0, present == nil { found.append("no EXT-X-MAP comes before the first segment") }
    }
    return found
  }

  /// Checks §4.3.2.6: dates follow from the durations, and only a discontinuity can move them, never back.
  private static func dates(_ playlist: Playlist) -> [String] {
    var found: [String] = []
    var expected: Double?
    for (number, entry) in playlist.entries.enumerated() {
      let isAfterGap = entry.has("EXT-X-DISCONTINUITY")
      if let text = entry.value("EXT-X-PROGRAM-DATE-TIME") {
        guard let date = date(text) else {
          found.append("segment \(number) has no date: \(text)")
          continue
        }
        if let expected {
          if isAfterGap, date < expected - overlap {
            found.append("segment \(number) begins \(expected - date) s before the end of the one before it")
          }
          // Dates have milliseconds, and each EXTINF is rounded.
          if !isAfterGap, abs(date - expected) > 0.001 + 0.00001 * Double(number) {
            found.append("the date of segment \(number) is \(date - expected) s off")
          }
        }
        expected = date
      } else if isAfterGap {
        // Nothing tells the time after a gap.
        if expected != nil { found.append("segment \(number) has no date after a discontinuity") }
        expected = nil
      }
      expected = expected.map { $0 + (entry.seconds ?? 0) }
    }
    return found
  }

  private static func date(_ text: String) -> Double? {
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return ((try? fractional.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)))?.timeIntervalSince1970
  }

  // MARK: Growing playlists

  /// Returns the rules that a playlist breaks if a client has loaded another state of it before (RFC 8216 §6.2.1).
  package static func violations(in later: String, after earlier: String) -> [String] {
    let (before, now) = (Playlist(earlier), Playlist(later))
    var found: [String] = []
    for name in [
      "EXT-X-VERSION", "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXT-X-PLAYLIST-TYPE",
      "EXT-X-INDEPENDENT-SEGMENTS", "EXT-X-I-FRAMES-ONLY",
    ] where before.values(name) != now.values(name) {
      found.append("\(name) was \(before.values(name)) and is \(now.values(name))")
    }
    let kept = before.lines.filter { $0 != "#EXT-X-ENDLIST" }
    if !now.lines.starts(with: kept) {
      let place = zip(kept, now.lines).enumerated().first { $1.0 != $1.1 }?.offset ?? now.lines.count
      found.append("line \(place + 1) has changed: not only appended")
    }
    if before.has("EXT-X-ENDLIST"), earlier != later { found.append("it has ended before, and goes on") }
    return found
  }

  // MARK: Multivariant playlists

  private static func multivariant(_ playlist: Playlist) -> [String] {
    var found: [String] = []
    for name in ofSegments.union(ofMedia) where playlist.has(name) {
      found.append("\(name) belongs into a media playlist")
    }
    // §4.3.4.2: the tag describes the URI in the next line.
    for (index, line) in playlist.lines.enumerated() where line.hasPrefix("#EXT-X-STREAM-INF:") {
      let next = index + 1 < playlist.lines.count ? playlist.lines[index + 1] : "#"
      if next.isEmpty || next.hasPrefix("#") { found.append("an EXT-X-STREAM-INF has no URI") }
    }
    for entry in playlist.entries where !entry.has("EXT-X-STREAM-INF") {
      found.append("\(entry.uri) has no description")
    }
    for name in ["EXT-X-STREAM-INF", "EXT-X-I-FRAME-STREAM-INF"] {
      for value in playlist.values(name) {
        guard let attributes = Playlist.attributes(value) else {
          found.append("\(name) has no attribute list: \(value)")
          continue
        }
        found += variant(attributes).map { "\(name): \($0)" }
        let hasURI = attributes["URI"]?.hasPrefix("\"") == true
        if hasURI != (name == "EXT-X-I-FRAME-STREAM-INF") { found.append("\(name): its URI is in the wrong place") }
      }
    }
    return found
  }

  private static func variant(_ attributes: [String: String]) -> [String] {
    var found: [String] = []
    let peak = attributes["BANDWIDTH"].flatMap { Int($0) }
    if peak ?? 0 < 1 { found.append("BANDWIDTH is \(attributes["BANDWIDTH"] ?? "missing")") }
    if let text = attributes["AVERAGE-BANDWIDTH"] {
      let mean = Int(text) ?? 0
      if mean < 1 || mean > peak ?? 0 { found.append("AVERAGE-BANDWIDTH is \(text)") }
    }
    if attributes["CODECS"]?.wholeMatch(of: #/"[A-Za-z0-9._-]+(,[A-Za-z0-9._-]+)*"/#) == nil {
      found.append("CODECS is \(attributes["CODECS"] ?? "missing")")
    }
    if let size = attributes["RESOLUTION"], size.wholeMatch(of: #/[1-9][0-9]*x[1-9][0-9]*/#) == nil {
      found.append("RESOLUTION is \(size)")
    }
    if let rate = attributes["FRAME-RATE"], Double(rate) ?? 0 <= 0 { found.append("FRAME-RATE is \(rate)") }
    return found
  }

  /// A segment as a client receives it: its size in bytes and the seconds that its playlist states.
  package struct Received {
    package let bytes: Int
    package let seconds: Double

    package init(bytes: Int, seconds: Double) {
      self.bytes = bytes
      self.seconds = seconds
    }
  }

  /// Returns the peak segment bit rate (RFC 8216 §4.1): the largest of any segments in a row that together last between
  /// half the target duration and one and a half times that.
  ///
  /// - Returns: bits a second, or nil if no segments last that long.
  package static func peak(of segments: [Received], target: Int) -> Double? {
    var largest: Double?
    for start in segments.indices {
      var (bytes, seconds) = (0, 0.0)
      for segment in segments[start...] {
        bytes += segment.bytes
        seconds += segment.seconds
        if seconds > 1.5 * Double(target) { break }
        if seconds >= 0.5 * Double(target) { largest = max(largest ?? 0, Double(bytes * 8) / seconds) }
      }
    }
    return largest
  }

  /// Returns the rules that a multivariant playlist breaks beside the segments of its only variant.
  package static func violations(in variants: String, of segments: [Received], target: Int) -> [String] {
    let playlist = Playlist(variants)
    guard let value = playlist.values("EXT-X-STREAM-INF").first, let attributes = Playlist.attributes(value),
      let stated = attributes["BANDWIDTH"].flatMap({ Double($0) })
    else { return ["there is no BANDWIDTH"] }
    var found: [String] = []
    if let peak = peak(of: segments, target: target), peak > stated {
      found.append("BANDWIDTH is \(Int(stated)), but the peak is \(Int(peak))")
    }
    let seconds = segments.reduce(0) { $0 + $1.seconds }
    let mean = Double(segments.reduce(0) { $0 + $1.bytes } * 8) / max(seconds, 0.001)
    // §4.3.4.2 speaks of the average of the whole; a rounded EXTINF may move it by a little.
    if let average = attributes["AVERAGE-BANDWIDTH"].flatMap({ Double($0) }), mean > average * 1.01 {
      found.append("AVERAGE-BANDWIDTH is \(Int(average)), but it is \(Int(mean))")
    }
    return found
  }
}
