internal import FootageBase
internal import FootageMedia

/// A request to the process that reads files.
enum ReaderRequest: Equatable {
  /// An examination of the file. The version's modification time is part of the tag.
  ///
  /// - withSamples: true to make the sample index, too.
  case index(isQuickTime: Bool, withSamples: Bool)
  /// The output of `footage inspect`.
  ///
  /// - track: the number of the video track whose film is judged; nil for the one that films show.
  case inspect(asJSON: Bool, track: Int?)
  /// A page of samples, starting at a position.
  case samples(SampleListing.Form, from: SampleListing.Position)
  /// The growth of a growing recording's film since the last request with this key.
  case grow(key: UInt64, isClosed: Bool)
  /// The sample index of the video track with this number.
  case track(Int)

  /// The longest message, in bytes.
  static let limit = 64

  var encoded: [UInt8] {
    switch self {
    case .index(let isQuickTime, let withSamples): [0, (isQuickTime ? 1 : 0) | (withSamples ? 2 : 0)]
    case .inspect(let asJSON, let track): [1, asJSON ? 1 : 0, track.map { UInt8(clamping: $0) } ?? 0]
    case .samples(let form, let position):
      {
        var writer = MessageWriter()
        writer.samplePosition(position)
        return [3, (form.isJSON ? 1 : 0) | (form.hasKeysOnly ? 2 : 0)] + writer.bytes
      }()
    case .grow(let key, let isClosed):
      {
        var writer = MessageWriter()
        writer.integer(key)
        return [4, isClosed ? 1 : 0] + writer.bytes
      }()
    case .track(let number): [5, UInt8(clamping: number)]
    }
  }

  init?(encoded bytes: [UInt8]) {
    switch (bytes.first, bytes.count) {
    case (0, 2): self = .index(isQuickTime: bytes[1] & 1 != 0, withSamples: bytes[1] & 2 != 0)
    case (1, 3) where bytes[2] == 0 || VideoTrack.numbers.contains(Int(bytes[2])):
      self = .inspect(asJSON: bytes[1] != 0, track: bytes[2] == 0 ? nil : Int(bytes[2]))
    case (3, 18):
      var reader = MessageReader(Array(bytes.dropFirst(2)))
      guard let position = reader.samplePosition() else { return nil }
      self = .samples(
        SampleListing.Form(isJSON: bytes[1] & 1 != 0, hasKeysOnly: bytes[1] & 2 != 0), from: position)
    case (4, 10):
      var reader = MessageReader(Array(bytes.dropFirst(2)))
      guard let key = reader.integer() else { return nil }
      self = .grow(key: key, isClosed: bytes[1] != 0)
    case (5, 2) where VideoTrack.numbers.contains(Int(bytes[1])): self = .track(Int(bytes[1]))
    default: return nil
    }
  }
}

/// The reply of the process that reads files: the lengths of the parts of the file that holds its answer. The parts are
/// the preamble or other output, then the sample index, then the report.
struct ReaderReply: Equatable {
  /// The length of the preamble in bytes.
  var preambleLength: UInt64
  /// The length of the sample index in bytes.
  var indexLength: UInt64
  /// The length of the report in bytes.
  var reportLength: UInt64

  /// The longest message, in bytes.
  static let limit = 24

  var encoded: [UInt8] {
    var writer = MessageWriter()
    writer.integer(preambleLength)
    writer.integer(indexLength)
    writer.integer(reportLength)
    return writer.bytes
  }

  /// The range of the sample index in the answer's file.
  var indexRange: Range<UInt64> { preambleLength..<(preambleLength + indexLength) }
  /// The range of the report in the answer's file.
  var reportRange: Range<UInt64> { indexRange.upperBound..<(indexRange.upperBound + reportLength) }

  init(preambleLength: UInt64, indexLength: UInt64, reportLength: UInt64) {
    self.preambleLength = preambleLength
    self.indexLength = indexLength
    self.reportLength = reportLength
  }

  /// - Returns: nil if the bytes are not a reply, or a length exceeds its maximum.
  init?(encoded bytes: [UInt8]) {
    var reader = MessageReader(bytes)
    guard let preambleLength = reader.integer(), preambleLength <= FileReaderProcess.answerBytes,
      let indexLength = reader.integer(), indexLength <= IndexSummary.lengthLimit,
      let reportLength = reader.integer(), reportLength <= FileReport.encodedLimit, reader.isAtEnd
    else { return nil }
    self.init(preambleLength: preambleLength, indexLength: indexLength, reportLength: reportLength)
  }
}
