package import FootageBase

/// A media playlist (RFC 8216 §4.3.3) with the segments of one recording, or of several in a row.
///
/// Every URL in it is relative, so that a proxy may serve it under any prefix.
package struct FilmPlaylist {
  /// The kind of the playlist's content.
  package enum Kind: Hashable, Sendable {
    /// The segments of a film.
    case segments
    /// Only key frames.
    case keyFrames
  }

  /// The media type of the text (RFC 8216 §10).
  package static let mediaType = "application/vnd.apple.mpegurl"

  private let kind: Kind
  /// True if the film grows or has grown: more entries may follow, and none will be removed.
  private let isGrowing: Bool
  private var body: [UInt8] = []
  /// The duration of the longest entry, in hundred thousandths of a second.
  private var longest: Int64 = 0
  private var allAreIndependent = true
  /// The number of entries so far.
  package private(set) var entryCount = 0

  /// The number of units in a second. The durations of entries are in hundred thousandths of a second.
  private static let second: Int64 = 100_000

  package init(_ kind: Kind, isGrowing: Bool = false) {
    self.kind = kind
    self.isGrowing = isGrowing
  }

  /// Appends segments of a recording.
  ///
  /// - Parameters:
  ///   - range: the numbers of the segments.
  ///   - start: the time at which the recording's presentation begins.
  ///   - prefix: the prefix of the parts' URLs: `../hls/TAG/`.
  /// - Throws: `ViewError`: `.noFilm`, or `.noSuchPart` if there are fewer segments.
  package mutating func append(
    segments range: Range<Int>, of index: SampleIndex, _ source: some ByteSource, start: UnixTimestamp, prefix: String
  ) throws(ViewError) {
    guard index.shift != nil else { throw .noFilm }
    guard range.lowerBound >= 0, range.upperBound <= index.segmentCount else { throw .noSuchPart }
    let rows = try mapError(
      ViewError.index,
      try index.segmentRows(range.lowerBound..<min(range.upperBound + 1, index.segmentCount), source))
    var initialization: Int?
    var isAfterGap = false
    let prefix = Array(prefix.utf8)
    let lead = Self.lead(prefix, "")
    for (number, row) in zip(range, rows) {
      // A decoder goes on where it cannot begin.
      if row.initialization != initialization || isAfterGap && row.cut.contains(.keyFrame) {
        begin(row.initialization, "init", at: row.time, of: index, start: start, prefix)
        initialization = row.initialization
      }
      let next = number - range.lowerBound + 1
      let end = next < rows.count ? rows[next].time : index.end
      if !row.cut.contains([.keyFrame, .closed]) { allAreIndependent = false }
      append(
        row.endsBeforeGap ? Int64(row.shownTime) : Self.duration(from: row.time, to: end, of: index), lead, number)
      isAfterGap = row.endsBeforeGap
    }
  }

  /// Appends the key frames with which a recording's blocks begin.
  ///
  /// - Throws: `ViewError`: `.noFilm`, `.noVideo`, `.noKeyFrame`.
  package mutating func append(
    keyFramesOf index: SampleIndex, upTo blocks: Int? = nil, _ source: some ByteSource, start: UnixTimestamp,
    prefix: String
  ) throws(ViewError) {
    let blockCount = min(blocks ?? .max, index.blockCount)
    guard index.shift != nil else { throw .noFilm }
    guard index.leading.handler == "vide" else { throw .noVideo }
    let prefix = Array(prefix.utf8)
    let lead = Self.lead(prefix, "k")
    var initialization: Int?
    var last: (number: Int, time: Int64)?
    /// The time from the last key frame to the gap after it, in the units of entries, or nil if no gap comes after it.
    var shown: Int64?
    for first in stride(from: 0, to: blockCount, by: Self.rowsAtOnce) {
      let rows = try mapError(
        ViewError.index, try index.blockRows(first..<min(first + Self.rowsAtOnce, blockCount), source))
      for (offset, row) in rows.enumerated() {
        if row.isDecodable {
          if let last { append(shown ?? Self.duration(from: last.time, to: row.time, of: index), lead, last.number) }
          if row.initialization != initialization || shown != nil {
            begin(row.initialization, "video", at: row.time, of: index, start: start, prefix)
            initialization = row.initialization
          }
          last = (first + offset, row.time)
          shown = nil
        }
        if row.endsBeforeGap, shown == nil, let last {
          shown = Self.duration(from: last.time, to: row.time, of: index) + Int64(row.shownTime)
        }
      }
    }
    // In a growing recording, the duration of the last key frame is known only when the next one comes.
    guard blocks == nil else { return }
    guard let last else { throw .noKeyFrame }
    append(shown ?? Self.duration(from: last.time, to: index.end, of: index), lead, last.number)
  }

  /// The number of block rows that are read at once.
  private static let rowsAtOnce = 4_096

  /// Begins a part that needs another init segment, or whose time does not continue that of the previous one.
  private mutating func begin(
    _ initialization: Int, _ name: StaticString, at time: Int64, of index: SampleIndex, start: UnixTimestamp,
    _ prefix: [UInt8]
  ) {
    if entryCount > 0 { body.append(contentsOf: "#EXT-X-DISCONTINUITY\n".utf8) }
    body.append(contentsOf: "#EXT-X-MAP:URI=\"".utf8)
    body.append(contentsOf: prefix)
    body.append(contentsOf: name.description.utf8)
    if initialization > 0 { body.append(contentsOf: String(initialization).utf8) }
    body.append(contentsOf: ".mp4\"\n#EXT-X-PROGRAM-DATE-TIME:".utf8)
    let milliseconds = index.leading.timing.nanoseconds(time).quotientRoundedDown(by: 1_000_000)
    body.append(contentsOf: start.advanced(byMilliseconds: milliseconds).rfc3339.utf8)
    body.append(UInt8(ascii: "\n"))
  }

  /// Returns the text between an entry's duration and its number.
  private static func lead(_ prefix: [UInt8], _ letter: String) -> [UInt8] {
    Array(",\n".utf8) + prefix + Array(letter.utf8)
  }

  private static let tag = Array("#EXTINF:".utf8)
  private static let ending = Array(".m4s\n".utf8)

  /// Returns a duration in hundred thousandths of a second.
  private static func duration(from start: Int64, to end: Int64, of index: SampleIndex) -> Int64 {
    index.leading.timing.hundredThousandths(end - start)
  }

  private mutating func append(_ duration: Int64, _ lead: [UInt8], _ number: Int) {
    // The target of a growing film stays what it was, so nothing may exceed it. Only the time for which a key frame is
    // shown can.
    let duration =
      isGrowing && kind == .keyFrames ? min(duration, FilmRules.longestGrowing * Self.second / 1_000) : duration
    longest = max(longest, duration)
    body.append(contentsOf: Self.tag)
    body.append(decimal: duration / Self.second)
    // Most durations are whole seconds, and the playlist of a day has thousands of entries.
    let fraction = duration % Self.second
    if fraction > 0 {
      body.append(UInt8(ascii: "."))
      body.append(decimal: fraction, digits: 5)
    }
    body.append(contentsOf: lead)
    body.append(decimal: Int64(number))
    body.append(contentsOf: Self.ending)
    entryCount += 1
  }

  /// Returns the whole playlist with its current entries.
  ///
  /// - Parameter isComplete: false if more entries will follow.
  package func text(isComplete: Bool = true) -> [UInt8] {
    // A growing recording needs a target before its segments are known, and keeps it (RFC 8216 §6.2.1). Only a
    // camera's film has longer segments, of recordings that are complete.
    let longest = (longest + Self.second - 1) / Self.second
    let target = isGrowing ? max(FilmRules.longestGrowing / 1_000, longest) : longest
    var text = Array("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:\(max(1, target))\n".utf8)
    text.append(contentsOf: "#EXT-X-PLAYLIST-TYPE:\(isGrowing ? "EVENT" : "VOD")\n".utf8)
    if kind == .keyFrames { text.append(contentsOf: "#EXT-X-I-FRAMES-ONLY\n".utf8) }
    if kind == .segments, !isGrowing, allAreIndependent {
      text.append(contentsOf: "#EXT-X-INDEPENDENT-SEGMENTS\n".utf8)
    }
    text.reserveCapacity(text.count + body.count + 16)
    text.append(contentsOf: body)
    if isComplete { text.append(contentsOf: "#EXT-X-ENDLIST\n".utf8) }
    return text
  }
}
