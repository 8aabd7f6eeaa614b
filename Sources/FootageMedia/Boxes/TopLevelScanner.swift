internal import FootageBase

/// A box that lies in no other one: its type and its place in the file.
struct TopLevelBox: Hashable, Sendable {
  let type: FourCharacterCode
  /// In the file.
  let offset: UInt64
  /// 8, or 16 with a 64-bit size.
  let headerSize: Int
  /// In the file, at most the file's length.
  let end: UInt64
  /// Whether its size is 0, which means: to the end of the file (ISO/IEC 14496-12 §4.2).
  let reachesEnd: Bool

  var place: BoxPlace { BoxPlace("\(type)", at: offset) }
  var size: UInt64 { end - offset }
  var payload: Range<UInt64> { (offset + UInt64(headerSize))..<end }
}

/// What comes next in a file.
enum TopLevelStep {
  case box(TopLevelBox)
  /// A box or its header goes on beyond the end of the file.
  case cut(MP4Error, at: UInt64)
  /// What stands at this byte is no box.
  case junk(MP4Error, at: UInt64)
  case end
}

/// Walks the boxes of a file by their headers alone.
struct TopLevelScanner<Source: ByteSource> {
  private let source: Source
  /// Of the file, in bytes.
  let length: UInt64
  /// Of the next box.
  private(set) var position: UInt64
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  /// Enough for a `moof` of common size and the header of its `mdat`: one read a fragment.
  static var windowSize: UInt64 { 16 << 10 }

  /// - Parameter position: of a box, where an earlier walk over the same file ended.
  init(_ source: Source, from position: UInt64 = 0) {
    self.source = source
    length = source.length
    self.position = position
  }

  /// Makes a box that was met the next one again.
  mutating func goBack(to box: TopLevelBox) { position = box.offset }

  mutating func next() throws(MP4Error) -> TopLevelStep {
    guard position < length else { return .end }
    let rest = length - position
    guard rest >= 8 else { return .cut(.headerCut(offset: position, length: length), at: position) }
    try moveWindow(over: position..<(position + min(rest, 16)))
    let start = Int(position - windowStart)
    let offset = position
    let type = FourCharacterCode(window.borrowedSpan.uint32(at: start + 4))
    // Made for errors alone: there may be millions of boxes.
    var place: BoxPlace { BoxPlace("\(type)", at: offset) }
    guard type.isPrintable else { return .junk(.malformed(place, "has no type that can be read"), at: position) }
    guard let header = BoxHeader(window.borrowedSpan, at: start, available: rest) else {
      return .cut(.headerCut(offset: position, length: length), at: position)
    }
    // A 64-bit size of 0 is what some recorders leave in `mdat` until they finish.
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

  /// All of a box.
  ///
  /// - Throws: `tooMuch` where it is longer than `limit`, else `unreadable`.
  mutating func read(_ box: TopLevelBox, limit: UInt64) throws(MP4Error) -> BoxBuffer {
    guard box.size <= limit else { throw .tooMuch(box.place, of: "bytes", limit: limit) }
    return BoxBuffer(try bytes(box.offset..<box.end), of: box)
  }

  /// Bytes of the file, outside of boxes that are read whole; few, since they become an array.
  mutating func read(_ range: Range<UInt64>) throws(MP4Error) -> [UInt8] { try bytes(range) }

  /// Out of the window, which moves where it must; what is longer than the window is read on its own.
  private mutating func bytes(_ range: Range<UInt64>) throws(MP4Error) -> [UInt8] {
    let count = range.upperBound - range.lowerBound
    guard count <= Self.windowSize else {
      return try readSource(at: range.lowerBound, count: Int(count))
    }
    try moveWindow(over: range)
    let start = Int(range.lowerBound - windowStart)
    return Array(window[start..<(start + Int(count))])
  }

  /// - Parameter range: no longer than the window, within the file.
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
