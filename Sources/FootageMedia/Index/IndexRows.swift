internal import FootageBase

/// The row of a film's segment in an index.
package struct SegmentRow: Hashable, Sendable {
  /// The properties of the frame at which a film is cut.
  package struct Cut: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A decoder can begin at this frame.
    package static let keyFrame = Cut(rawValue: 1)
    /// Nothing that is decoded after this frame is shown before it.
    package static let closed = Cut(rawValue: 2)
  }

  /// The time of the segment's first picture, in ticks of the leading track from the beginning of the presentation.
  package var time: Int64
  package var firstBlock: Int
  /// The total size of the segment's samples in bytes.
  package var mediaBytes: UInt32
  /// The number of the init segment with which the segment is decoded.
  package var initialization: Int
  package var cut: Cut
  /// The time for which something is shown, in hundred thousandths of a second. It is 0 if that is the time until the
  /// next segment. Otherwise a gap follows, in which nothing was recorded.
  package var shownTime: UInt32 = 0

  /// True if nothing was recorded between this segment and the next one.
  package var endsBeforeGap: Bool { shownTime > 0 }

  /// The size of a row in the index, in bytes.
  static let size = 24
}

/// The row of a block of samples in an index.
package struct BlockRow: Hashable, Sendable {
  /// The time of the block's first picture, in ticks of the leading track from the beginning of the presentation. Times
  /// never decrease from row to row.
  package var time: Int64
  /// The offset of the block's samples from those of the first block, in bytes.
  package var payloadOffset: UInt64
  /// The range in the recorder's file of the sync sample with which the block begins. It is empty if the block does not
  /// begin with one.
  package var keyFrame: Range<UInt64>
  /// The total size of the block's samples in bytes.
  package var mediaBytes: UInt32
  /// True if the block contains sync samples other than the first sample.
  package var hasMoreKeyFrames: Bool
  /// The parameter sets that a decoder needs and the sync sample lacks.
  var missing: ParameterSets
  /// The number of the init segment with which the block is decoded.
  package var initialization: Int
  /// The time for which something is shown, in hundred thousandths of a second. It is 0 if that is the time until the
  /// next block. Otherwise a gap follows, in which nothing was recorded.
  package var shownTime: UInt32 = 0

  /// True if nothing was recorded between this block and the next one.
  package var endsBeforeGap: Bool { shownTime > 0 }
  /// True if the block begins with a sync sample.
  package var beginsWithKeyFrame: Bool { !keyFrame.isEmpty }
  /// True if a decoder can begin with the block.
  package var isDecodable: Bool { !keyFrame.isEmpty && missing.isEmpty }

  /// The size of a row in the index, in bytes.
  static let size = 40
}

/// A range of an index's rows, with the samples of the blocks.
struct IndexRows: Hashable, Sendable {
  /// The numbers of segments and blocks, and the number of bytes of the blocks' samples.
  struct Counts: Hashable, Sendable {
    var segments = 0
    var blocks = 0
    var payload = 0
  }

  /// The counts of everything in the index before these rows.
  var before = Counts()
  var segments: [SegmentRow] = []
  var blocks: [BlockRow] = []
  var payload: [UInt8] = []

  /// The counts of everything in the index up to the end of these rows.
  var after: Counts {
    Counts(
      segments: before.segments + segments.count, blocks: before.blocks + blocks.count,
      payload: before.payload + payload.count)
  }
}

extension SegmentRow {
  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: UInt64(bitPattern: time))
    bytes.append(bigEndian: UInt32(clamping: firstBlock))
    bytes.append(bigEndian: mediaBytes)
    bytes.append(bigEndian: UInt16(clamping: initialization))
    bytes.append(bigEndian: cut.rawValue)
    bytes.append(bigEndian: shownTime)
  }

  /// - Precondition: all of the row's bytes are in `bytes`.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    time = Int64(bitPattern: bytes.uint64(at: offset))
    firstBlock = Int(bytes.uint32(at: offset + 8))
    mediaBytes = bytes.uint32(at: offset + 12)
    initialization = Int(bytes.uint16(at: offset + 16))
    cut = Cut(rawValue: bytes.uint16(at: offset + 18))
    shownTime = bytes.uint32(at: offset + 20)
  }
}

extension BlockRow {
  private static let moreKeyFrames: UInt16 = 1

  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: UInt64(bitPattern: time))
    bytes.append(bigEndian: payloadOffset)
    bytes.append(bigEndian: keyFrame.lowerBound)
    bytes.append(bigEndian: UInt32(clamping: keyFrame.upperBound - keyFrame.lowerBound))
    bytes.append(bigEndian: mediaBytes)
    bytes.append(bigEndian: UInt16(clamping: initialization))
    bytes.append(bigEndian: (hasMoreKeyFrames ? Self.moreKeyFrames : 0) | UInt16(missing.rawValue) << 8)
    bytes.append(bigEndian: shownTime)
  }

  /// - Precondition: all of the row's bytes are in `bytes`.
  /// - Returns: nil if its key frame lies beyond the file's end.
  init?(_ bytes: Span<UInt8>, at offset: Int, fileLength: UInt64) {
    time = Int64(bitPattern: bytes.uint64(at: offset))
    payloadOffset = bytes.uint64(at: offset + 8)
    let start = bytes.uint64(at: offset + 16)
    let size = UInt64(bytes.uint32(at: offset + 24))
    guard start <= fileLength, size <= fileLength - start else { return nil }
    keyFrame = start..<(start + size)
    mediaBytes = bytes.uint32(at: offset + 28)
    initialization = Int(bytes.uint16(at: offset + 32))
    let flags = bytes.uint16(at: offset + 34)
    hasMoreKeyFrames = flags & Self.moreKeyFrames != 0
    missing = ParameterSets(rawValue: UInt8(flags >> 8))
    shownTime = bytes.uint32(at: offset + 36)
  }
}
