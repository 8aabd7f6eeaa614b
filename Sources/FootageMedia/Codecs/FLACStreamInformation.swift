internal import FootageBase

/// The properties of a FLAC stream, from the `STREAMINFO` block in a `dfLa` box (RFC 9639 §8.2).
struct FLACStreamInformation: Hashable, Sendable {
  /// The sizes of frames in samples. At least 16, and at most 65,535.
  let blockSizes: ClosedRange<Int>
  /// The sample rate in hertz, which is not 0.
  let sampleRate: Int
  /// The number of channels, from 1 to 8.
  let channels: Int
  /// The number of bits of a sample, from 4 to 32.
  let bitsPerSample: Int

  /// The length in bytes of what precedes the block's content: version and flags of the box, and the block's header.
  private static let headerLength = 8
  /// The length of the block's content in bytes.
  private static let length = 34
  /// The least block size in samples.
  private static let leastBlockSize = 16

  init(blockSizes: ClosedRange<Int>, sampleRate: Int, channels: Int, bitsPerSample: Int) {
    self.blockSizes = blockSizes
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitsPerSample = bitsPerSample
  }

  /// - Parameter box: the payload of `dfLa`. Its first metadata block is `STREAMINFO` (Encapsulation of FLAC in ISOBMFF
  ///   §3.3.2).
  /// - Returns: nil if the block is not there or has a value that no stream may have.
  init?(_ box: ArraySlice<UInt8>) {
    guard box.count >= Self.headerLength + Self.length else { return nil }
    var bits = BitReader(box)
    // Version and flags of the box; then whether it is the last metadata block, its type, and its length.
    guard bits.bits(32) == 0, bits.bits(1) != nil, bits.bits(7) == 0, let length = bits.bits(24), length >= Self.length,
      let least = bits.bits(16), let most = bits.bits(16), bits.skip(48) != nil, let rate = bits.bits(20),
      let channels = bits.bits(3), let size = bits.bits(5), least >= Self.leastBlockSize, least <= most, rate > 0,
      size >= 3
    else { return nil }
    self.init(
      blockSizes: Int(least)...Int(most), sampleRate: Int(rate), channels: Int(channels) + 1,
      bitsPerSample: Int(size) + 1)
  }

  /// The content of the block, without the sizes of frames in bytes, the number of samples and their digest.
  var block: [UInt8] {
    var block: [UInt8] = []
    block.append(bigEndian: UInt16(clamping: blockSizes.lowerBound))
    block.append(bigEndian: UInt16(clamping: blockSizes.upperBound))
    block += [UInt8](repeating: 0, count: 6)
    let format = UInt64(sampleRate) << 44 | UInt64(channels - 1) << 41 | UInt64(bitsPerSample - 1) << 36
    block.append(bigEndian: format)
    return block + [UInt8](repeating: 0, count: Self.length - block.count)
  }

  /// The code of the sample rate in frames, or 0 if it has none (RFC 9639 §9.1.2).
  var rateCode: UInt32 {
    let rates = [88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]
    return UInt32((rates.firstIndex(of: sampleRate) ?? -1) + 1)
  }

  /// The code of the bits of a sample in frames, or 0 if they have none (RFC 9639 §9.1.4).
  var sampleSizeCode: UInt32 {
    switch bitsPerSample {
    case 8: 1
    case 12: 2
    case 16: 4
    case 20: 5
    case 24: 6
    case 32: 7
    default: 0
    }
  }
}
