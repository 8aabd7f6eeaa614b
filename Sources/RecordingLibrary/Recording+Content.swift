package import Formats
internal import ISOMedia

extension Recording {
  /// What is served of a ready recording.
  package struct Content: Hashable, Sendable {
    /// Without quotes; the preamble's file is named after it.
    package let tag: String
    /// All that is served: the preamble, where there is one, and ranges of the recorder's file.
    package let composition: Composition
    /// SHA-256 of the preamble; empty where there is none.
    package let preambleDigest: [UInt8]
    package let mediaType: MediaType

    /// In bytes.
    package var length: UInt64 { composition.length }

    /// In bytes; 0 where the file is served as it is.
    package var preambleLength: UInt64 { composition.preambleLength }
  }
}

/// The composition of a recording: its sources are the recorder's file and the preamble that is stored for it.
extension Composition {
  private static let recordersFile = 0
  private static let storedPreamble = 1

  /// What is served of a file, once its preamble is stored.
  init(storing index: MovieIndex) {
    self.init()
    append(0..<UInt64(index.preamble.count), of: Self.storedPreamble)
    for range in index.body { append(range, of: Self.recordersFile) }
  }

  /// - Parameters:
  ///   - preambleLength: in bytes; 0 where there is none.
  ///   - body: ranges of the recorder's file, in serving order.
  /// - Returns: nil where it would be longer than 64 bits can say.
  init?(preambleLength: UInt64, body: [Range<UInt64>]) {
    self.init()
    append(0..<preambleLength, of: Self.storedPreamble)
    for range in body {
      guard hasRoom(for: range.upperBound - range.lowerBound) else { return nil }
      append(range, of: Self.recordersFile)
    }
  }

  /// In bytes.
  var preambleLength: UInt64 {
    if case .range(Self.storedPreamble, let range) = slices.first { range.upperBound } else { 0 }
  }

  /// Ranges of the recorder's file, in serving order.
  var body: [Range<UInt64>] { ranges(of: Self.recordersFile) }
}
