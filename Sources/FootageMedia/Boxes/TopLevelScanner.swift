internal import FootageBase

/// A box at the top level of a file: its type and its position.
struct TopLevelBox: Hashable, Sendable {
  let type: FourCharacterCode
  /// The offset of the box's first byte in the file.
  let offset: UInt64
  /// The size of the header in bytes: 8, or 16 with a 64-bit size.
  let headerSize: Int
  /// The offset of the end of the box in the file. It is at most the file's length.
  let end: UInt64
  /// True if the box's size is 0, which means that it extends to the end of the file (ISO/IEC 14496-12 §4.2).
  let reachesEnd: Bool

  var place: BoxPlace { BoxPlace("\(type)", at: offset) }
  var size: UInt64 { end - offset }
  var payload: Range<UInt64> { (offset + UInt64(headerSize))..<end }
}

/// The next item in a file.
enum TopLevelStep {
  case box(TopLevelBox)
  /// A box that extends beyond the end of the file, or whose header does.
  case cut(MP4Error, at: UInt64)
  /// Bytes at this offset that are not a box.
  case junk(MP4Error, at: UInt64)
  case end
}

/// A scanner that walks the boxes of a file by their headers.
struct TopLevelScanner<Source: ByteSource> {
  let source: Source
  /// The length of the file in bytes.
  let length: UInt64
  /// The offset of the next box.
  private(set) var position: UInt64
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  /// The size of one read in bytes. It is enough for a typical `moof` and the header of its `mdat`: one read per
  /// fragment.
  static var windowSize: UInt64 { 16 << 10 }

  /// - Parameter position: the offset of a box at which an earlier walk over the same file ended.
  init(_ source: Source, from position: UInt64 = 0) {
    self.source = source
    length = source.length
    self.position = position
  }

  /// Moves back to a box that was already read, so that `next` returns it again.
  mutating func goBack(to box: TopLevelBox) { position = box.offset }

  mutating func next() throws(MP4Error) -> TopLevelStep {
    guard position < length else { return .end }
    let rest = length - position
    guard rest >= 8 else { return .cut(.headerCut(offset: position, length: length), at: position) }
    try moveWindow(over: position..<(position + min(rest, 16)))
    let start = Int(position - windowStart)
    let offset = position
    let type = FourCharacterCode(window.borrowedSpan.uint32(at: start + 4))
    // This is computed only for errors, because there may be millions of boxes.
    var place: BoxPlace { BoxPlace("\(type)", at: offset) }
    guard type.isPrintable else { return .junk(.malformed(place, "has an invalid type"), at: position) }
    guard let header = BoxHeader(window.borrowedSpan, at: start, available: rest) else {
      return .cut(.headerCut(offset: position, length: length), at: position)
    }
    // Some recorders leave a 64-bit size of 0 in `mdat` until they finish.
    let reachesEnd = header.boxSize == 0
    let size = reachesEnd ? rest : header.boxSize
    guard size >= UInt64(header.length), size <= UInt64(Int64.max) else {
      return .junk(.malformed(place, "claims to be \(size) bytes long"), at: position)
    }
    guard size <= rest else { return .cut(.boxCut(place, claims: size, length: length), at: position) }
    let box = TopLevelBox(
      type: type, offset: position, headerSize: header.length, end: position + size, reachesEnd: reachesEnd)
    position = box.end
    return .box(box)
  }

  /// Reads a whole box.
  ///
  /// - Throws: `tooMuch` if it is longer than `limit`, and otherwise `unreadable`.
  mutating func read(_ box: TopLevelBox, limit: UInt64) throws(MP4Error) -> BoxBuffer {
    guard box.size <= limit else { throw .tooMuch(box.place, of: "bytes", limit: limit) }
    return BoxBuffer(try bytes(box.offset..<box.end), of: box)
  }

  /// Reads bytes of the file without a box around them. The range should be short, because the bytes are copied to an
  /// array.
  mutating func read(_ range: Range<UInt64>) throws(MP4Error) -> [UInt8] { try bytes(range) }

  /// Reads bytes from the buffered window of the file, which moves if necessary. A range that is longer than the window
  /// is read directly.
  private mutating func bytes(_ range: Range<UInt64>) throws(MP4Error) -> [UInt8] {
    let count = range.upperBound - range.lowerBound
    guard count <= Self.windowSize else {
      return try readSource(at: range.lowerBound, count: Int(count))
    }
    try moveWindow(over: range)
    let start = Int(range.lowerBound - windowStart)
    return Array(window[start..<(start + Int(count))])
  }

  /// - Parameter range: a range within the file, no longer than the window.
  private mutating func moveWindow(over range: Range<UInt64>) throws(MP4Error) {
    guard range.lowerBound < windowStart || range.upperBound > windowStart + UInt64(window.count) else { return }
    window = try readSource(at: range.lowerBound, count: Int(min(Self.windowSize, length - range.lowerBound)))
    windowStart = range.lowerBound
  }

  /// - Throws: `unreadable`.
  private func readSource(at offset: UInt64, count: Int) throws(MP4Error) -> [UInt8] {
    do throws(Source.Failure) { return try source.bytes(at: offset, count: count) } catch {
      throw .unreadable(ReadFailure(error))
    }
  }
}
