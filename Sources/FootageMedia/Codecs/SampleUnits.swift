internal import FootageBase

/// A reader of the NAL units of a sample, in order. It reads only the first bytes of each unit, so the cost does not
/// depend on the size of the sample.
struct SampleUnits<Source: ByteSource> {
  struct Unit {
    /// The length of the unit in bytes, with its header.
    let length: UInt64
    /// The first bytes of the unit: the requested number, or all of them if it has fewer.
    let start: ArraySlice<UInt8>
  }

  private let source: Source
  private let lengthSize: Int
  private let end: UInt64
  private var position: UInt64
  /// The bytes of the last read. They begin at `windowStart`.
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  /// The size of one read in bytes. Most pictures begin with one or two units of a few bytes.
  private static var windowSize: UInt64 { 64 }

  /// - Parameters:
  ///   - sample: a range within the source.
  ///   - lengthSize: the size of the length field before each unit, 1 to 4 bytes.
  init(of sample: Range<UInt64>, lengthSize: Int, in source: Source) {
    self.source = source
    self.lengthSize = lengthSize
    position = sample.lowerBound
    end = sample.upperBound
  }

  /// - Parameter count: the number of the unit's first bytes to read.
  /// - Returns: nil after the last unit, or if the sample ends before a unit does.
  /// - Throws: the errors of the source.
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
