internal import FootageBase

/// A writer of samples as lines: columns of the same width for the whole recording, or JSON.
struct SampleLines: Sendable {
  private struct Column {
    let title: String
    let width: Int
  }

  private let isJSON: Bool
  /// The columns for track, number, times, offset and size. The column for the type is between those for number and
  /// times.
  private let track, number, time, offset, size: Column

  /// The text that stands for a missing value.
  private static let nothing = "-"
  /// The number of decimals of a second. A tick of a timescale of 90,000 is 11 units of the last one.
  private static let decimals = 6

  init(_ movie: Movie, fileLength: UInt64, isJSON: Bool) {
    self.isJSON = isJSON
    func column(_ title: String, _ widest: String) -> Column {
      Column(title: title, width: max(title.utf8.count, widest.utf8.count))
    }
    let tracks = movie.tracks
    let longest = tracks.map { $0.samples.decodingDuration / Int64($0.timescale) }.max() ?? 0
    track = column("track", "\(tracks.map(\.id).max() ?? 0)")
    number = column("number", "\(tracks.map(\.samples.count).max() ?? 0)")
    // The width includes a sign. Few times have one: those that an edit list hides.
    time = column("", "-\(longest).\(String(repeating: "0", count: Self.decimals))")
    offset = column("offset", "\(fileLength)")
    size = column("size", "9999999")
  }

  /// The line with the names of the columns.
  var titles: [UInt8] {
    var bytes: [UInt8] = []
    Self.append(track.title, width: track.width, to: &bytes)
    Self.append(number.title, width: number.width + 2, to: &bytes)
    bytes += Self.typeTitle
    for title in ["dts", "pts"] { Self.append(title, width: time.width + 2, to: &bytes) }
    Self.append(offset.title, width: offset.width + 2, to: &bytes)
    Self.append(size.title, width: size.width + 2, to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private static var typeTitle: [UInt8] { Array("  type  ".utf8) }

  /// - Parameter number: the number of the sample, from 0.
  func append(
    _ sample: IndexedSample, number: Int, of track: Track, _ timing: TrackTiming, type: SliceType?,
    to bytes: inout [UInt8]
  ) {
    let decodingTime = sample.decodingTime - timing.origin
    let presentationTime = timing.presentationTime(of: sample)
    let letter: String? = type?.rawValue ?? (track.handler == "vide" && sample.isSync ? SliceType.intra.rawValue : nil)
    if isJSON {
      bytes += "{\"track\":\(track.id),\"number\":\(number + 1),\"type\":".utf8
      bytes += (letter.map { "\"\($0)\"" } ?? "null").utf8
      bytes += (sample.isSync ? ",\"key\":true,\"dts\":" : ",\"key\":false,\"dts\":").utf8
      Self.append(seconds: decodingTime, track.timescale, to: &bytes)
      bytes += ",\"pts\":".utf8
      Self.append(seconds: presentationTime, track.timescale, to: &bytes)
      bytes += ",\"dtsTicks\":\(decodingTime),\"ptsTicks\":\(presentationTime),\"timescale\":\(track.timescale)".utf8
      bytes += ",\"offset\":\(sample.offset),\"size\":\(sample.size)}\n".utf8
      return
    }
    Self.append("\(track.id)", width: self.track.width, to: &bytes)
    Self.append("\(number + 1)", width: self.number.width + 2, to: &bytes)
    bytes += "  ".utf8
    bytes += (letter ?? Self.nothing).utf8
    bytes += (sample.isSync ? " key " : "     ").utf8
    for ticks in [decodingTime, presentationTime] {
      var text: [UInt8] = []
      Self.append(seconds: ticks, track.timescale, to: &text)
      Self.append(text, width: time.width + 2, to: &bytes)
    }
    Self.append("\(sample.offset)", width: offset.width + 2, to: &bytes)
    Self.append("\(sample.size)", width: size.width + 2, to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  private static func append(_ text: String, width: Int, to bytes: inout [UInt8]) {
    append(Array(text.utf8), width: width, to: &bytes)
  }

  private static func append(_ text: [UInt8], width: Int, to bytes: inout [UInt8]) {
    for _ in text.count..<max(text.count, width) { bytes.append(UInt8(ascii: " ")) }
    bytes += text
  }

  /// Appends a time in seconds, rounded to the nearest millionth. Halves are rounded away from zero.
  private static func append(seconds ticks: Int64, _ timescale: UInt32, to bytes: inout [UInt8]) {
    let scale = Int128(timescale)
    // The numerator is below 2^62 times 10^6.
    let millionths = (Int128(ticks.magnitude) * 1_000_000 * 2 + scale) / (2 * scale)
    if ticks < 0, millionths > 0 { bytes.append(UInt8(ascii: "-")) }
    bytes += "\(UInt64(clamping: millionths / 1_000_000)).".utf8
    var fraction = UInt64(clamping: millionths % 1_000_000)
    var divisor: UInt64 = 100_000
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / divisor))
      fraction %= divisor
      divisor /= 10
    }
  }
}
