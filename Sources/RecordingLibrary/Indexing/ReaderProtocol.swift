/// What is said between the process that serves and the one that reads files.

/// What the reading process is asked for.
enum ReaderRequest: Equatable {
  /// The version's modification time goes into the tag.
  case index(isQuickTime: Bool)
  case inspect(asJSON: Bool)

  /// The longest message, in bytes.
  static let limit = 64

  var encoded: [UInt8] {
    switch self {
    case .index(let isQuickTime): [0, isQuickTime ? 1 : 0]
    case .inspect(let asJSON): [1, asJSON ? 1 : 0]
    }
  }

  init?(encoded bytes: [UInt8]) {
    guard bytes.count == 2 else { return nil }
    switch bytes[0] {
    case 0: self = .index(isQuickTime: bytes[1] != 0)
    case 1: self = .inspect(asJSON: bytes[1] != 0)
    default: return nil
    }
  }
}

/// Where in the answer's file what lies: the preamble, or what is shown of a file, and then the report.
struct ReaderReply: Equatable {
  /// In bytes.
  var headLength: UInt64
  /// In bytes.
  var reportLength: UInt64

  static let limit = 16

  var encoded: [UInt8] {
    var writer = MessageWriter()
    writer.integer(headLength)
    writer.integer(reportLength)
    return writer.bytes
  }

  init(headLength: UInt64, reportLength: UInt64) {
    self.headLength = headLength
    self.reportLength = reportLength
  }

  init?(encoded bytes: [UInt8]) {
    var reader = MessageReader(bytes)
    guard let headLength = reader.integer(), let reportLength = reader.integer(), reader.isAtEnd else { return nil }
    self.init(headLength: headLength, reportLength: reportLength)
  }
}
