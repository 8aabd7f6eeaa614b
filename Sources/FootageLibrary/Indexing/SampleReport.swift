internal import FootageMedia

/// The report after a page of samples, by the process that reads files. It is decoded as untrusted input.
enum SampleReport: Equatable, Sendable {
  /// The page ends before this sample.
  case more(SampleListing.Position)
  /// The page was the last one.
  case end
  /// The file's samples are not served, or the file could not be read.
  case failed(String)

  /// The number of samples on a page.
  static let pageSamples = 8_192
  /// The longest page, in bytes.
  static let pageLimit: UInt64 = 4 << 20
}

extension SampleReport {
  var encoded: [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .more(let position):
      writer.integer(0)
      writer.samplePosition(position)
    case .end: writer.integer(1)
    case .failed(let reason):
      writer.integer(2)
      writer.text(reason)
    }
    return writer.bytes
  }

  /// - Returns: nil if the bytes are not a report.
  init?(encoded bytes: [UInt8]) {
    var reader = MessageReader(bytes)
    switch reader.integer() {
    case 0:
      guard let position = reader.samplePosition() else { return nil }
      self = .more(position)
    case 1: self = .end
    case 2:
      guard let reason = reader.text() else { return nil }
      self = .failed(reason)
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}

extension MessageWriter {
  mutating func samplePosition(_ position: SampleListing.Position) {
    integer(UInt64(position.track))
    integer(UInt64(position.sample))
  }
}

extension MessageReader {
  mutating func samplePosition() -> SampleListing.Position? {
    guard let track = integer().flatMap({ Int32(exactly: $0) }), let sample = integer().flatMap({ Int32(exactly: $0) })
    else { return nil }
    return SampleListing.Position(track: Int(track), sample: Int(sample))
  }
}
