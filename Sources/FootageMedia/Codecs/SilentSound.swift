/// A frame of sound in which nothing is heard, in a track's own codec.
struct SilentSound: Sendable, Hashable {
  /// The bytes of the frame.
  let frame: [UInt8]
  /// The number of samples that a decoder makes of the frame, at `rate`.
  let samples: Int
  /// The number of samples a second.
  let rate: Int

  /// The largest number of silent frames in a segment. They are more than ten minutes.
  static let mostFrames = 1 << 15

  /// A frame of AAC without a spectrum (ISO/IEC 14496-3 §4.4.2).
  ///
  /// - Parameters:
  ///   - channelConfiguration: the arrangement of channels, from 1 to 7.
  ///   - samples: 1,024 or 960.
  ///   - rate: the rate of the core, before any band replication.
  /// - Returns: nil for an arrangement that only the bit stream describes.
  static func aac(channelConfiguration: Int, samples: Int, rate: Int) -> SilentSound? {
    guard let elements = aacElements[channelConfiguration], rate > 0 else { return nil }
    return aac(elements, samples: samples, rate: rate)
  }

  /// A frame of AAC with two channels.
  static func stereoAAC(rate: Int) -> SilentSound { aac([aacPair], samples: 1_024, rate: rate) }

  private static func aac(_ elements: [UInt32], samples: Int, rate: Int) -> SilentSound {
    var bits = SilentBits()
    var tags: [UInt32: UInt32] = [:]
    for element in elements {
      bits.append(element, 3)
      bits.append(tags[element, default: 0], 4)
      tags[element, default: 0] += 1
      // The two channels of a pair have a window each.
      if element == aacPair { bits.append(0, 1) }
      // A gain, the window, no scale factor bands, and none of the tools.
      for _ in 0..<(element == aacPair ? 2 : 1) { bits.append(0, 22) }
    }
    bits.append(7, 3)
    return SilentSound(frame: bits.bytes, samples: samples, rate: rate)
  }

  /// The elements of a frame by channel configuration (ISO/IEC 14496-3 table 1.19): single channels (0), pairs (1), and
  /// channels of low frequencies (3).
  private static let aacElements: [Int: [UInt32]] = [
    1: [0], 2: [1], 3: [0, 1], 4: [0, 1, 0], 5: [0, 1, 1], 6: [0, 1, 1, 3], 7: [0, 1, 1, 1, 3],
  ]
  private static let aacPair: UInt32 = 1

  /// A packet of Opus of 20 ms (RFC 6716 §3.1).
  ///
  /// - Returns: nil for more than two channels.
  static func opus(channels: Int) -> SilentSound? {
    (1...2).contains(channels) ? opus(isStereo: channels == 2) : nil
  }

  static func opus(isStereo: Bool) -> SilentSound {
    SilentSound(frame: [isStereo ? 0xFC : 0xF8, 0xFF, 0xFE], samples: 960, rate: 48_000)
  }

  /// A frame of MPEG-1 or MPEG-2 audio layer III (ISO/IEC 11172-3 §2.4.1, ISO/IEC 13818-3) of the lowest bit rate.
  ///
  /// - Returns: nil for another rate.
  static func mp3(channels: Int, rate: Int) -> SilentSound? {
    let rates = [44_100, 48_000, 32_000, 22_050, 24_000, 16_000]
    guard (1...2).contains(channels), let index = rates.firstIndex(of: rate) else { return nil }
    let isFirst = index < 3
    let length = isFirst ? 144 * 32_000 / rate : 72 * 8_000 / rate
    var frame = [UInt8](repeating: 0, count: length)
    frame[0] = 0xFF
    frame[1] = isFirst ? 0xFB : 0xF3
    frame[2] = 0x10 | UInt8(index % 3) << 2
    frame[3] = channels == 1 ? 0xC0 : 0
    return SilentSound(frame: frame, samples: isFirst ? 1_152 : 576, rate: rate)
  }

  /// A frame of FLAC of constant subframes (RFC 9639 §9), with the number 0.
  static func flac(_ stream: FLACStreamInformation) -> SilentSound {
    let samples = stream.blockSizes.upperBound
    var bits = SilentBits()
    // The code for frames of any size, whose numbers count samples, is the least significant bit.
    bits.append(0xFFF8 | (stream.blockSizes.count > 1 ? 1 : 0), 16)
    // The size follows, and the rate does where no code stands for it.
    bits.append(7, 4)
    bits.append(stream.rateCode, 4)
    bits.append(UInt32(stream.channels - 1), 4)
    bits.append(stream.sampleSizeCode, 3)
    bits.append(0, 1)
    bits.append(0, 8)
    bits.append(UInt32(samples - 1), 16)
    bits.append(bits.bytes.reduce(0) { Self.checksum($0, $1, width: 8, polynomial: 0x07) }, 8)
    for _ in 0..<stream.channels { bits.append(0, 8 + stream.bitsPerSample) }
    bits.append(0, (8 - bits.bitCount % 8) % 8)
    bits.append(bits.bytes.reduce(0) { Self.checksum($0, $1, width: 16, polynomial: 0x8005) }, 16)
    return SilentSound(frame: bits.bytes, samples: samples, rate: stream.sampleRate)
  }

  /// Adds a byte to a cyclic redundancy check without reflection.
  private static func checksum(_ sum: UInt32, _ byte: UInt8, width: UInt32, polynomial: UInt32) -> UInt32 {
    var sum = sum ^ UInt32(byte) << (width - 8)
    for _ in 0..<8 {
      sum = sum >> (width - 1) & 1 == 1 ? (sum << 1) ^ polynomial : sum << 1
    }
    return sum & ((1 << width) - 1)
  }
}

/// Bits that are written with the most significant one first.
private struct SilentBits {
  private(set) var bytes: [UInt8] = []
  private var used = 8

  var bitCount: Int { bytes.count * 8 - (8 - used) }

  mutating func append(_ value: UInt32, _ count: Int) {
    for bit in (0..<count).reversed() {
      if used == 8 {
        bytes.append(0)
        used = 0
      }
      if value >> UInt32(bit) & 1 == 1 { bytes[bytes.count - 1] |= 0x80 >> UInt8(used) }
      used += 1
    }
  }
}

extension [IndexedSample] {
  /// The largest number of silent frames in a segment.
  private static let mostSilentFrames = SilentSound.mostFrames

  /// Returns sound without holes: silent frames are there for as long as nothing was recorded.
  ///
  /// - Parameters:
  ///   - shown: the time in which something is heard, in the track's ticks from the beginning of the presentation.
  ///   - place: the offset at which the first silent frame lies. The others follow it directly.
  func filled(
    with silence: SilentSound, _ timing: TrackTiming, shown: Range<Int64>, at place: UInt64
  ) -> [IndexedSample] {
    let frame = Swift.max(1, Double(silence.samples) * Double(timing.timescale) / Double(silence.rate))
    var filled: [IndexedSample] = []
    var silent = 0
    var end = shown.lowerBound
    func fill(until time: Int64) {
      let whole = (Double(time - end) / frame).rounded(.down)
      // Where more would be needed, each lasts longer.
      let count = Swift.min(whole, Double(Self.mostSilentFrames - silent))
      guard whole >= 2, count >= 1 else { return }
      if let last = filled.indices.last {
        filled[last].duration = UInt32(clamping: end + timing.origin - filled[last].decodingTime)
      }
      // They share what is left, since a hole would remain.
      let length = Double(time - end) / count
      for index in 0..<Int(count) {
        let start = end + Int64((Double(index) * length).rounded())
        let next = end + Int64((Double(index + 1) * length).rounded())
        filled.append(
          IndexedSample(
            offset: place + UInt64((silent + index) * silence.frame.count), decodingTime: start + timing.origin,
            compositionOffset: 0, duration: UInt32(clamping: next - start), size: UInt32(silence.frame.count),
            isSync: true))
      }
      silent += Int(count)
    }
    for sample in self {
      let time = timing.presentationTime(of: sample)
      fill(until: time)
      filled.append(sample)
      // A frame that claims to last long is followed by a hole.
      let duration = Double(sample.duration) >= 3 * frame ? Int64(frame.rounded(.up)) : Int64(sample.duration)
      end = Swift.max(end, time + duration)
    }
    fill(until: shown.upperBound)
    return filled
  }
}
