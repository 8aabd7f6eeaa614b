internal import Formats
internal import ISOMedia

/// What a view of a file came to, as the process that reads files says it; read as what it is: input.
enum ViewReport: Equatable, Sendable {
  /// Source 0 is the file.
  case ready(KeyFrame)
  /// The file has nothing that the view could show.
  case nothing(String)
  /// It has not there; elsewhere it may have.
  case nothingThere(String)
  /// The bytes could not be had, or are no movie any more.
  case unreadable(String)

  /// The longest report, in bytes: literal bytes hold the boxes of a few samples.
  static let encodedLimit: UInt64 = 4 << 20
  /// The most slices of a view.
  static let sliceLimit = 256
}

extension ViewReport {
  var encoded: [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .ready(let picture):
      let composition = picture.composition
      writer.integer(0)
      writer.integer(picture.place)
      writer.integer(UInt64(clamping: picture.times.lowerBound))
      writer.integer(UInt64(clamping: picture.times.upperBound))
      writer.integer(UInt64(composition.slices.count))
      for slice in composition.slices {
        switch slice {
        case .literal(let bytes):
          writer.integer(0)
          writer.data(bytes)
        case .range(_, let range):
          writer.integer(1)
          writer.integer(range.lowerBound)
          writer.integer(range.upperBound)
        }
      }
    case .nothing(let reason):
      writer.integer(1)
      writer.text(reason)
    case .unreadable(let reason):
      writer.integer(2)
      writer.text(reason)
    case .nothingThere(let reason):
      writer.integer(3)
      writer.text(reason)
    }
    return writer.bytes
  }

  /// - Parameter fileLength: no range may lie beyond it.
  /// - Returns: nil where the bytes are no report.
  init?(encoded bytes: [UInt8], fileLength: UInt64) {
    var reader = MessageReader(bytes)
    switch reader.integer() {
    case 0:
      guard let place = reader.integer(), place < fileLength,
        let start = reader.integer().flatMap({ Int64(exactly: $0) }),
        let end = reader.integer().flatMap({ Int64(exactly: $0) }), start < end,
        let slices = reader.list(
          limit: Self.sliceLimit, { Composition.Slice(&$0, limit: bytes.count, fileLength: fileLength) })
      else { return nil }
      var composition = Composition()
      var length: UInt64 = 0
      for slice in slices {
        let (sum, overflows) = length.addingReportingOverflow(slice.length)
        guard !overflows, sum <= fileLength.addingClamped(Self.encodedLimit) else { return nil }
        length = sum
        composition.append(slice)
      }
      self = .ready(KeyFrame(composition: composition, place: place, times: start..<end))
    case 1:
      guard let reason = reader.text() else { return nil }
      self = .nothing(reason)
    case 2:
      guard let reason = reader.text() else { return nil }
      self = .unreadable(reason)
    case 3:
      guard let reason = reader.text() else { return nil }
      self = .nothingThere(reason)
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}

extension ViewReport {
  /// Reads the movie's tables, and of its media no more than where parameter sets may stand.
  static func keyFrame(of file: some ByteSource, at seconds: DecimalSeconds) -> ViewReport {
    let tables: MovieTables
    do throws(MP4Error) { tables = try MovieTables.make(of: file) } catch { return .unreadable(error.description) }
    do throws(ViewError) { return .ready(try KeyFrame.make(at: seconds, of: tables, media: file)) } catch {
      switch error {
      case .noParameterSets: return .nothingThere(error.description)
      case .broken(.unreadable): return .unreadable(error.description)
      case .noVideo, .noKeyFrame, .noFilm, .noSuchPart, .index, .broken: return .nothing(error.description)
      }
    }
  }

  /// What the report brings.
  var picture: KeyFrame {
    get throws(ViewFailure) {
      switch self {
      case .ready(let picture): return picture
      case .nothing(let reason): throw .nothing(reason)
      case .nothingThere(let reason): throw .nothingThere(reason)
      case .unreadable(let reason): throw .unreadable(reason)
      }
    }
  }
}

extension Composition.Slice {
  fileprivate init?(_ reader: inout MessageReader, limit: Int, fileLength: UInt64) {
    switch reader.integer() {
    case 0:
      guard let bytes = reader.data(limit: limit), !bytes.isEmpty else { return nil }
      self = .literal(bytes)
    case 1:
      guard let lower = reader.integer(), let upper = reader.integer(), lower < upper, upper <= fileLength else {
        return nil
      }
      self = .range(source: 0, lower..<upper)
    default: return nil
    }
  }
}
