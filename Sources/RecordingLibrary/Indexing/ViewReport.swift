internal import Formats
internal import ISOMedia

/// What a view of a file came to, as the process that reads files says it; read as what it is: input.
enum ViewReport: Equatable, Sendable {
  /// Source 0 is the file.
  case ready(Composition)
  /// The file has nothing that the view could show.
  case nothing(String)
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
    case .ready(let composition):
      writer.integer(0)
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
    }
    return writer.bytes
  }

  /// - Parameter fileLength: no range may lie beyond it.
  /// - Returns: nil where the bytes are no report.
  init?(encoded bytes: [UInt8], fileLength: UInt64) {
    var reader = MessageReader(bytes)
    switch reader.integer() {
    case 0:
      guard
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
      self = .ready(composition)
    case 1:
      guard let reason = reader.text() else { return nil }
      self = .nothing(reason)
    case 2:
      guard let reason = reader.text() else { return nil }
      self = .unreadable(reason)
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}

extension ViewReport {
  /// Reads the movie's tables, and of its media nothing.
  static func keyFrame(of file: some ByteSource, at seconds: DecimalSeconds) -> ViewReport {
    let tables: MovieTables
    do throws(MP4Error) { tables = try MovieTables.make(of: file) } catch { return .unreadable(error.description) }
    do throws(ViewError) { return .ready(try KeyFrame.composition(at: seconds, of: tables)) } catch {
      return .nothing(error.description)
    }
  }

  /// What the report brings.
  var composition: Composition {
    get throws(ViewFailure) {
      switch self {
      case .ready(let composition): return composition
      case .nothing(let reason): throw .nothing(reason)
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
