internal import FootageBase

/// Where a segment of a film begins.
package struct SegmentRow: Hashable, Sendable {
  /// What a film is cut at.
  package struct Cut: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A decoder can begin here.
    package static let keyFrame = Cut(rawValue: 1)
    /// Nothing that is decoded after it is shown before it.
    package static let closed = Cut(rawValue: 2)
  }

  /// Of its first picture, in ticks of the leading track, from the beginning of the presentation on.
  package var time: Int64
  package var firstBlock: Int
  /// Of its samples, in bytes.
  package var mediaBytes: UInt32
  /// By which init segment it is decoded.
  package var initialization: Int
  package var cut: Cut

  /// In the index, in bytes.
  static let size = 24
}

/// Where a block of samples begins.
package struct BlockRow: Hashable, Sendable {
  /// Of its first picture, in ticks of the leading track, from the beginning of the presentation on. They never fall.
  package var time: Int64
  /// Of its samples, from the first block's on, in bytes.
  package var payloadOffset: UInt64
  /// Where the sync sample lies that it begins with, in the recorder's file; of no bytes where it begins with none.
  package var keyFrame: Range<UInt64>
  /// Of its samples, in bytes.
  package var mediaBytes: UInt32
  /// Whether there are more sync samples in it than the one that it begins with.
  package var hasMoreKeyFrames: Bool
  /// Which parameter sets that a decoder needs the sync sample lacks.
  var missing: ParameterSets
  /// By which init segment it is decoded.
  package var initialization: Int

  /// Whether it begins with a sync sample.
  package var beginsWithKeyFrame: Bool { !keyFrame.isEmpty }
  /// Whether a decoder can begin with it.
  package var isDecodable: Bool { !keyFrame.isEmpty && missing.isEmpty }

  /// In the index, in bytes.
  static let size = 40
}

/// Some rows of an index, and the blocks that they are of.
struct IndexRows: Hashable, Sendable {
  /// How many there are of each; of the blocks' samples, bytes.
  struct Counts: Hashable, Sendable {
    var segments = 0
    var blocks = 0
    var payload = 0
  }

  /// What stands in the index before these.
  var before = Counts()
  var segments: [SegmentRow] = []
  var blocks: [BlockRow] = []
  var payload: [UInt8] = []

  /// What stands in the index with these.
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
    bytes.append(bigEndian: UInt32(0))
  }

  /// - Precondition: all of its bytes are there.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    time = Int64(bitPattern: bytes.uint64(at: offset))
    firstBlock = Int(bytes.uint32(at: offset + 8))
    mediaBytes = bytes.uint32(at: offset + 12)
    initialization = Int(bytes.uint16(at: offset + 16))
    cut = Cut(rawValue: bytes.uint16(at: offset + 18))
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
    bytes.append(bigEndian: UInt32(0))
  }

  /// - Precondition: all of its bytes are there.
  /// - Returns: nil where its key frame lies beyond the file's end.
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
  }
}
