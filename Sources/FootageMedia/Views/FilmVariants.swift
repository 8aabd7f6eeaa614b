package import FootageBase

/// The multivariant playlist of a recording's film (RFC 8216 §4.3.4). From it, a player knows codecs, sizes and bit
/// rates before it fetches media.
package enum FilmVariants {
  /// - Parameters:
  ///   - media: the relative URL of the media playlist.
  ///   - keyFrames: the relative URL of the playlist of key frames, which is listed if there are any, or nil.
  ///   - isGrowing: true if more segments may follow, whose durations and bit rates are not known yet.
  /// - Throws: `ViewError.noFilm`, `.index`.
  package static func playlist(
    of index: SampleIndex, _ source: some ByteSource, media: String, keyFrames: String?, isGrowing: Bool = false
  ) throws(ViewError) -> [UInt8] {
    guard index.shift != nil, let initialization = index.initializations.first else { throw .noFilm }
    let rates = try Self.rates(of: index, source)
    let entries = try entries(of: initialization)
    var codecs: [String] = []
    for initialization in index.initializations {
      for entry in try Self.entries(of: initialization) where !codecs.contains(entry.codec) {
        codecs.append(entry.codec)
      }
    }
    var text = "#EXTM3U\n#EXT-X-VERSION:7\n"
    if rates.allAreIndependent, !isGrowing { text += "#EXT-X-INDEPENDENT-SEGMENTS\n" }
    text +=
      "#EXT-X-STREAM-INF:BANDWIDTH=\(rates.peak),AVERAGE-BANDWIDTH=\(rates.mean),CODECS=\"\(codecs.joined(separator: ","))\""
    let video = index.leading.handler == "vide" ? entries.first : nil
    if let video, video.width > 0, video.height > 0 { text += ",RESOLUTION=\(video.width)x\(video.height)" }
    if let rate = video?.nominalFrameRate, rate > 0, rate < 1_000 { text += ",FRAME-RATE=\(threeDecimals(rate))" }
    text += "\n\(media)\n"
    if let keyFrames, let video, rates.keyPeak > 0 {
      text += "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=\(rates.keyPeak),CODECS=\"\(video.codec)\""
      if video.width > 0, video.height > 0 { text += ",RESOLUTION=\(video.width)x\(video.height)" }
      text += ",URI=\"\(keyFrames)\"\n"
    }
    return Array(text.utf8)
  }

  private static func entries(of initialization: SampleIndex.Initialization) throws(ViewError) -> [SampleEntry] {
    try mapError(ViewError.broken, try initialization.movie(ofAll: true)).tracks.compactMap(\.sampleEntries.first)
  }

  private struct Rates {
    /// The peak bit rate. All three rates are in bits a second.
    var peak: UInt64 = 0
    var mean: UInt64 = 0
    var keyPeak: UInt64 = 0
    var allAreIndependent = true
  }

  /// Returns an estimate of the number of bytes that are sent for samples, including the heads of their fragments and
  /// silence.
  ///
  /// - Parameter silence: the number of bytes of silence a second.
  private static func sent(_ mediaBytes: UInt64, during duration: UInt64, silence: UInt64) -> UInt64 {
    mediaBytes + mediaBytes / 20 + 8_192 + min(duration, longest) * silence / second
  }

  /// Returns the number of bytes that a second of silence has at most, with those of its table.
  private static func silentBytes(of index: SampleIndex) -> UInt64 {
    guard let silence = index.silence, silence.samples > 0 else { return leastSilentBytes }
    let frames = (silence.rate + silence.samples - 1) / silence.samples
    return max(leastSilentBytes, UInt64((silence.frame.count + 8) * frames))
  }

  private static let leastSilentBytes: UInt64 = 2_000
  /// The longest duration whose silence is counted, so that no product overflows. It is four months.
  private static let longest: UInt64 = 1 << 40

  /// The number of units of a duration in a second.
  private static let second: UInt64 = 100_000

  /// Returns a bit rate, which is at least 1: no stream has a bandwidth of 0.
  private static func rate(_ bytes: UInt64, _ duration: UInt64) -> UInt64 {
    let product = (min(bytes, 1 << 60) * 8).multipliedFullWidth(by: second)
    let duration = max(1, duration)
    guard product.high < duration else { return .max }
    return max(1, duration.dividingFullWidth(product).quotient)
  }

  /// Returns the largest bit rate of any segments in a row that last from half to one and a half times the target
  /// duration, or of the longest segment.
  private static func peak(_ bytes: [UInt64], _ durations: [UInt64]) -> UInt64 {
    let target = ((durations.max() ?? 0) + second - 1) / second * second
    var peak: UInt64 = 0
    for first in bytes.indices {
      var (sum, time) = (UInt64(0), UInt64(0))
      for index in first..<bytes.count {
        sum &+= bytes[index]
        time += durations[index]
        guard 2 * time <= 3 * target else { break }
        if 2 * time >= target { peak = max(peak, rate(sum, time)) }
      }
    }
    return peak
  }

  /// Returns the bit rates (RFC 8216 §4.3.4.2).
  private static func rates(of index: SampleIndex, _ source: some ByteSource) throws(ViewError) -> Rates {
    var rates = Rates()
    let rows = try mapError(ViewError.index, try index.segmentRows(0..<index.segmentCount, source))
    let ends = rows.dropFirst().map(\.time) + [index.end]
    // In hundred thousandths of a second, as in the playlist.
    let durations = zip(rows, ends).map { row, end in
      row.endsBeforeGap ? UInt64(row.shownTime) : UInt64(index.leading.timing.hundredThousandths(end - row.time))
    }
    let silence = silentBytes(of: index)
    let bytes = zip(rows, durations).map { sent(UInt64($0.mediaBytes), during: $1, silence: silence) }
    rates.allAreIndependent = rows.allSatisfy { $0.cut.contains([.keyFrame, .closed]) }
    rates.mean = rate(bytes.reduce(0, &+), durations.reduce(0, +))
    rates.peak = max(rates.mean, peak(bytes, durations))
    // A few key frames are enough, because reading all their rows would take longer than everything else together.
    let step = max(1, index.blockCount / keyFrameSamples)
    for number in stride(from: 0, to: index.blockCount, by: step) {
      let rows = try mapError(
        ViewError.index, try index.blockRows(number..<min(number + 2, index.blockCount), source))
      guard let row = rows.first, row.beginsWithKeyFrame else { continue }
      let end = rows.count > 1 ? rows[1].time : index.end
      let size = row.keyFrame.upperBound - row.keyFrame.lowerBound
      let duration = row.endsBeforeGap ? Int64(row.shownTime) : index.leading.timing.hundredThousandths(end - row.time)
      rates.keyPeak = max(rates.keyPeak, rate(size + 256, UInt64(max(0, duration))))
    }
    return rates
  }

  private static let keyFrameSamples = 64

  private static func threeDecimals(_ value: Double) -> String {
    let thousandths = Int((value * 1_000).rounded())
    let digits = String(thousandths % 1_000)
    return "\(thousandths / 1_000).\(String(repeating: "0", count: 3 - digits.utf8.count))\(digits)"
  }
}
