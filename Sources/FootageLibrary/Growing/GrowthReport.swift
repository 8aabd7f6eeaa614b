internal import FootageMedia

/// What the process that reads files says of one that grows; read as what it is: input.
enum GrowthReport: Equatable, Sendable {
  /// What it has grown by stands in front.
  case grown
  /// There is no film of it yet, or it is none of the files that grow by fragments.
  case nothing
  /// The film goes no further.
  case over(String)
  /// It could not be read.
  case unreadable(String)

  var encoded: [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .grown: writer.integer(0)
    case .nothing: writer.integer(1)
    case .over(let reason):
      writer.integer(2)
      writer.text(reason)
    case .unreadable(let reason):
      writer.integer(3)
      writer.text(reason)
    }
    return writer.bytes
  }

  /// - Returns: nil where the bytes are no report.
  init?(encoded bytes: [UInt8]) {
    var reader = MessageReader(bytes)
    switch reader.integer() {
    case 0: self = .grown
    case 1: self = .nothing
    case 2:
      guard let reason = reader.text() else { return nil }
      self = .over(reason)
    case 3:
      guard let reason = reader.text() else { return nil }
      self = .unreadable(reason)
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}

/// What has come of a look at a file that grows.
enum GrowthOutcome: Sendable {
  case grown(FilmGrowth)
  case nothing
  /// The film goes no further: one that begins anew may.
  case over(String)
  /// It was not found out, for a reason that may pass.
  case unavailable(String)

  init(_ report: GrowthReport, _ growth: [UInt8]) {
    switch report {
    case .nothing: self = .nothing
    case .over(let reason): self = .over(reason)
    case .unreadable(let reason): self = .unavailable(reason)
    case .grown:
      guard let growth = FilmGrowth(encoded: growth) else {
        self = .over("the process that reads files gave no growth that can be understood")
        return
      }
      self = .grown(growth)
    }
  }
}
