package import FootageBase

/// Finds the `moov` that stands before the media, in a recording of which not all may be there.
package enum MovieHead {
  enum Found: Sendable {
    /// All of it is there.
    case ready(TopLevelBox)
    /// These bytes have to be there first.
    case needs(Range<UInt64>)
    /// There is none before the media.
    case none
  }

  package enum Outcome: Hashable, Sendable {
    /// All of it is there: it ends at this byte.
    case ready(end: UInt64)
    /// These bytes have to be there first.
    case needs(Range<UInt64>)
    /// There is none before the media.
    case none
  }

  /// Where it ends. May block.
  ///
  /// - Parameters:
  ///   - available: whether a range can be read.
  ///   - limit: where it has to have ended, in bytes.
  package static func end(
    in source: some ByteSource, available: (Range<UInt64>) -> Bool, limit: UInt64
  ) -> Outcome {
    switch find(in: source, available: available, limit: limit) {
    case .ready(let box): .ready(end: box.end)
    case .needs(let range): .needs(range)
    case .none: .none
    }
  }

  static func find(in source: some ByteSource, available: (Range<UInt64>) -> Bool, limit: UInt64) -> Found {
    var offset: UInt64 = 0
    while offset < source.length {
      let header = offset..<min(source.length, offset + 16)
      guard available(header) else { return .needs(header) }
      guard let box = try? box(at: offset, of: source), box.type != "mdat", box.type != "moof", box.end <= limit
      else { return .none }
      if box.type == "moov" {
        let range = box.offset..<box.end
        return available(range) ? .ready(box) : .needs(range)
      }
      offset = box.end
    }
    return .none
  }

  /// What one top-level box says of where `moov` ends.
  package enum Step: Hashable, Sendable {
    /// It is `moov`, and ends at this byte.
    case end(UInt64)
    /// The next box begins at this byte.
    case next(UInt64)
    /// It is the media, which begins before there is any `moov`, or no box.
    case none
  }

  /// Where `moov` ends by its header alone, a box at a time.
  ///
  /// - Parameters:
  ///   - header: the box's first 16 bytes, or as many as the recording has there.
  ///   - offset: of the box.
  ///   - length: of the recording.
  package static func step(_ header: [UInt8], at offset: UInt64, of length: UInt64) -> Step {
    guard offset < length, header.count >= 8,
      let box = BoxHeader(header.borrowedSpan, at: 0, available: UInt64(header.count)),
      box.boxSize >= UInt64(box.length),
      box.boxSize <= length - offset, box.type != "mdat", box.type != "moof"
    else { return .none }
    return box.type == "moov" ? .end(offset + box.boxSize) : .next(offset + box.boxSize)
  }

  /// Nil where there is no box that ends within the source (ISO/IEC 14496-12 §4.2).
  private static func box<Source: ByteSource>(
    at offset: UInt64, of source: Source
  ) throws(Source.Failure) -> TopLevelBox? {
    let bytes = try source.bytes(at: offset, count: Int(min(16, source.length - offset)))
    guard bytes.count >= 8, let header = BoxHeader(bytes.borrowedSpan, at: 0, available: UInt64(bytes.count)),
      header.boxSize >= UInt64(header.length), header.boxSize <= source.length - offset
    else { return nil }
    return TopLevelBox(
      type: header.type, offset: offset, headerSize: header.length, end: offset + header.boxSize, reachesEnd: false)
  }
}
