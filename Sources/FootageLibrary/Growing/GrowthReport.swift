internal import FootageMedia

/// The report on a growing file by the process that reads files. It is decoded as untrusted input.
enum GrowthReport: Equatable, Sendable {
  /// The film has grown. The index of the new part precedes the report.
  case grown
  /// The file has no film yet, or does not grow by fragments.
  case nothing
  /// The film cannot continue.
  case over(String)
  /// The file could not be read.
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

  /// - Returns: nil if the bytes are not a report.
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

/// The result of an examination of a growing file.
enum GrowthOutcome: Sendable {
  case grown(FilmGrowth)
  case nothing
  /// The film cannot continue, but a new one may start.
  case over(String)
  /// The growth could not be determined, for a reason that may be temporary.
  case unavailable(String)

  init(_ report: GrowthReport, _ growth: [UInt8]) {
    switch report {
    case .nothing: self = .nothing
    case .over(let reason): self = .over(reason)
    case .unreadable(let reason): self = .unavailable(reason)
    case .grown:
      guard let growth = FilmGrowth(encoded: growth) else {
        self = .over("the process that reads files returned an invalid growth report")
        return
      }
      self = .grown(growth)
    }
  }
}
