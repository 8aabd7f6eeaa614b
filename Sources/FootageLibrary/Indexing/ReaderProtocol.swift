internal import FootageMedia

/// What the reading process is asked for.
enum ReaderRequest: Equatable {
  /// The version's modification time goes into the tag.
  ///
  /// - withSamples: whether to make the sample index, too.
  case index(isQuickTime: Bool, withSamples: Bool)
  case inspect(asJSON: Bool)
  /// A page of them, from a position on.
  case samples(SampleListing.Form, from: SampleListing.Position)
  /// By how much the film of a recording that grows has grown since it was asked for last by this key.
  case grow(key: UInt64, isClosed: Bool)

  /// The longest message, in bytes.
  static let limit = 64

  var encoded: [UInt8] {
    switch self {
    case .index(let isQuickTime, let withSamples): [0, (isQuickTime ? 1 : 0) | (withSamples ? 2 : 0)]
    case .inspect(let asJSON): [1, asJSON ? 1 : 0]
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
    }
  }

  init?(encoded bytes: [UInt8]) {
    switch (bytes.first, bytes.count) {
    case (0, 2): self = .index(isQuickTime: bytes[1] & 1 != 0, withSamples: bytes[1] & 2 != 0)
    case (1, 2): self = .inspect(asJSON: bytes[1] != 0)
    case (3, 18):
      var reader = MessageReader(Array(bytes.dropFirst(2)))
      guard let position = reader.samplePosition() else { return nil }
      self = .samples(
        SampleListing.Form(isJSON: bytes[1] & 1 != 0, hasKeysOnly: bytes[1] & 2 != 0), from: position)
    case (4, 10):
      var reader = MessageReader(Array(bytes.dropFirst(2)))
      guard let key = reader.integer() else { return nil }
      self = .grow(key: key, isClosed: bytes[1] != 0)
    default: return nil
    }
  }
}

/// Where in the answer's file what lies: the preamble, or what is shown of a file, then the sample index, and then the
/// report on it.
struct ReaderReply: Equatable {
  /// In bytes.
  var preambleLength: UInt64
  /// In bytes.
  var indexLength: UInt64
  /// In bytes.
  var reportLength: UInt64

  /// In bytes.
  static let limit = 24

  var encoded: [UInt8] {
    var writer = MessageWriter()
    writer.integer(preambleLength)
    writer.integer(indexLength)
    writer.integer(reportLength)
    return writer.bytes
  }

  /// Where in the answer's file the sample index lies.
  var indexRange: Range<UInt64> { preambleLength..<(preambleLength + indexLength) }
  /// Where in the answer's file the report lies.
  var reportRange: Range<UInt64> { indexRange.upperBound..<(indexRange.upperBound + reportLength) }

  init(preambleLength: UInt64, indexLength: UInt64, reportLength: UInt64) {
    self.preambleLength = preambleLength
    self.indexLength = indexLength
    self.reportLength = reportLength
  }

  /// - Returns: nil where the bytes are no reply, or something would be longer than it ever is.
  init?(encoded bytes: [UInt8]) {
    var reader = MessageReader(bytes)
    guard let preambleLength = reader.integer(), preambleLength <= FileReaderProcess.answerBytes,
      let indexLength = reader.integer(), indexLength <= IndexSummary.lengthLimit,
      let reportLength = reader.integer(), reportLength <= FileReport.encodedLimit, reader.isAtEnd
    else { return nil }
    self.init(preambleLength: preambleLength, indexLength: indexLength, reportLength: reportLength)
  }
}
