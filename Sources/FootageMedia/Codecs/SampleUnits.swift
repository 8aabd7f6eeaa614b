internal import FootageBase

/// The NAL units of a sample, one after the other, each by its first bytes alone: few reads, however large it is.
struct SampleUnits<Source: ByteSource> {
  struct Unit {
    /// In bytes, its header with it.
    let length: UInt64
    /// Its first bytes, as many as were asked for, or all.
    let start: ArraySlice<UInt8>
  }

  private let source: Source
  private let lengthSize: Int
  private let end: UInt64
  private var position: UInt64
  /// What was read last, and where it lies.
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  /// Most pictures begin with a unit or two of some bytes.
  private static var windowSize: UInt64 { 64 }

  /// - Parameters:
  ///   - sample: in the source, no further than its end.
  ///   - lengthSize: of the length in front of each unit, in bytes, 1 to 4.
  init(of sample: Range<UInt64>, lengthSize: Int, in source: Source) {
    self.source = source
    self.lengthSize = lengthSize
    position = sample.lowerBound
    end = sample.upperBound
  }

  /// - Parameter count: how many of the unit's first bytes are wanted.
  /// - Returns: nil after the last one, and where the sample ends before a unit does.
  /// - Throws: as the source.
  mutating func next(first count: Int) throws(Source.Failure) -> Unit? {
    let prefix = UInt64(lengthSize)
    guard end - position > prefix else { return nil }
    let lengthBytes = try bytes(position..<(position + prefix))
    let length = lengthBytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let start = position + prefix
    guard length <= end - start else { return nil }
    position = start + length
    return Unit(length: length, start: try bytes(start..<(start + min(length, UInt64(max(0, count))))))
  }

  private mutating func bytes(_ range: Range<UInt64>) throws(Source.Failure) -> ArraySlice<UInt8> {
    if range.lowerBound < windowStart || range.upperBound > windowStart + UInt64(window.count) {
      let count = max(range.upperBound - range.lowerBound, min(Self.windowSize, end - range.lowerBound))
      window = try source.bytes(at: range.lowerBound, count: Int(count))
      windowStart = range.lowerBound
    }
    let first = Int(range.lowerBound - windowStart)
    return window[first..<(first + Int(range.upperBound - range.lowerBound))]
  }
}
