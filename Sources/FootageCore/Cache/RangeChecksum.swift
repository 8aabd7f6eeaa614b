internal import FootageBase

/// An XXH64 checksum, by which the cache recognizes its own bytes (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
///
/// It detects what a disk or a stray program did to a file, at several gigabytes per second. It proves nothing against
/// a forger: anyone who can write the files can write their checksums as well.
package struct RangeChecksum: Sendable {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  private var lanes: (UInt64, UInt64, UInt64, UInt64)
  /// The last bytes, which are fewer than a stripe of 32 bytes.
  private var rest: [UInt8] = []
  private var length: UInt64 = 0

  package init() {
    lanes = (Self.prime1 &+ Self.prime2, Self.prime2, 0, 0 &- Self.prime1)
    rest.reserveCapacity(32)
  }

  package mutating func update(_ bytes: borrowing [UInt8]) { update(bytes, 0..<bytes.count) }

  /// - Parameter part: the range of the bytes to add.
  package mutating func update(_ bytes: borrowing [UInt8], _ part: Range<Int>) {
    length &+= UInt64(part.count)
    var position = part.lowerBound
    if !rest.isEmpty {
      while position < part.upperBound, rest.count < 32 {
        rest.append(bytes[position])
        position += 1
      }
      guard rest.count == 32 else { return }
      let stripe = rest
      Self.add(stripe.borrowedSpan, at: 0, to: &lanes)
      rest.removeAll(keepingCapacity: true)
    }
    let span = bytes.borrowedSpan
    while part.upperBound - position >= 32 {
      Self.add(span, at: position, to: &lanes)
      position += 32
    }
    while position < part.upperBound {
      rest.append(bytes[position])
      position += 1
    }
  }

  /// The checksum of all bytes so far.
  package var value: UInt64 {
    var hash: UInt64
    if length >= 32 {
      hash = Self.rotate(lanes.0, 1) &+ Self.rotate(lanes.1, 7) &+ Self.rotate(lanes.2, 12) &+ Self.rotate(lanes.3, 18)
      for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
        hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
      }
    } else {
      hash = Self.prime5
    }
    hash &+= length
    let span = rest.borrowedSpan
    var position = 0
    while rest.count - position >= 8 {
      hash ^= Self.round(0, Self.word(span, position))
      hash = Self.rotate(hash, 27) &* Self.prime1 &+ Self.prime4
      position += 8
    }
    if rest.count - position >= 4 {
      let half = (0..<4).reduce(UInt64(0)) { $0 | UInt64(rest[position + $1]) << UInt64(8 * $1) }
      hash = Self.rotate(hash ^ (half &* Self.prime1), 23) &* Self.prime2 &+ Self.prime3
      position += 4
    }
    while position < rest.count {
      hash = Self.rotate(hash ^ (UInt64(rest[position]) &* Self.prime5), 11) &* Self.prime1
      position += 1
    }
    hash = (hash ^ hash >> 33) &* Self.prime2
    hash = (hash ^ hash >> 29) &* Self.prime3
    return hash ^ hash >> 32
  }

  @inline(__always)
  private static func add(
    _ span: Span<UInt8>, at position: Int, to lanes: inout (UInt64, UInt64, UInt64, UInt64)
  ) {
    lanes.0 = round(lanes.0, word(span, position))
    lanes.1 = round(lanes.1, word(span, position + 8))
    lanes.2 = round(lanes.2, word(span, position + 16))
    lanes.3 = round(lanes.3, word(span, position + 24))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }

  @inline(__always)
  private static func word(_ span: Span<UInt8>, _ position: Int) -> UInt64 {
    // Safe because bytes have no padding, the load checks its bounds, and any bytes make an integer.
    unsafe UInt64(littleEndian: span.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
  }
}
