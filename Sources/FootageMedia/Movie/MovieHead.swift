package import FootageBase

/// A search for a `moov` that precedes the media, in a recording that may be available only in part.
package enum MovieHead {
  enum Found: Sendable {
    /// The whole `moov` is available.
    case ready(TopLevelBox)
    /// The search can continue when these bytes are available.
    case needs(Range<UInt64>)
    /// There is no `moov` before the media.
    case none
  }

  package enum Outcome: Hashable, Sendable {
    /// The whole `moov` is available. It ends at this offset.
    case ready(end: UInt64)
    /// The search can continue when these bytes are available.
    case needs(Range<UInt64>)
    /// There is no `moov` before the media.
    case none
  }

  /// Finds the end of `moov`. May block.
  ///
  /// - Parameters:
  ///   - available: returns true if a range can be read.
  ///   - limit: the offset at which `moov` must have ended, in bytes.
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

  /// The result of examining one top-level box.
  package enum Step: Hashable, Sendable {
    /// The box is `moov` and ends at this offset.
    case end(UInt64)
    /// The next box begins at this offset.
    case next(UInt64)
    /// The box is media that comes before any `moov`, or the bytes are not a valid box.
    case none
  }

  /// Finds the end of `moov` from the headers of boxes, one at a time.
  ///
  /// - Parameters:
  ///   - header: the box's first 16 bytes, or fewer at the end of the recording.
  ///   - offset: the offset of the box.
  ///   - length: the length of the recording.
  package static func step(_ header: [UInt8], at offset: UInt64, of length: UInt64) -> Step {
    guard offset < length, header.count >= 8,
      let box = BoxHeader(header.borrowedSpan, at: 0, available: UInt64(header.count)),
      box.boxSize >= UInt64(box.length),
      box.boxSize <= length - offset, box.type != "mdat", box.type != "moof"
    else { return .none }
    return box.type == "moov" ? .end(offset + box.boxSize) : .next(offset + box.boxSize)
  }

  /// Reads the header of a box. Returns nil unless a box begins there and ends within the source (ISO/IEC 14496-12
  /// §4.2).
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
