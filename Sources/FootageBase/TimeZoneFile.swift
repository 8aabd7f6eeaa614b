/// The reason why a file is not a valid time zone.
package enum TimeZoneFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file violates the format, is cut short, or is inconsistent, at this offset in bytes.
  case malformed(offset: Int, StaticReason)
  /// The zone counts leap seconds, like the zones below `right/`.
  case countsLeapSeconds

  package enum StaticReason: String, Hashable, Sendable {
    case noHeader = "has no TZif header"
    case cutShort = "is cut short"
    case badCount = "has an invalid count"
    case badOffset = "has an offset of more than a day"
    case badIndex = "refers to a local time type that does not exist"
    case disorder = "has its changes out of order"
    case badRule = "ends with an invalid rule"
  }

  package var description: String {
    switch self {
    case .malformed(let offset, let reason): "it \(reason.rawValue) (at byte \(offset))"
    case .countsLeapSeconds: "it counts leap seconds, which no recorder's names do: use the zone without right/"
    }
  }
}

/// Reads a zone from a file of the time zone database (TZif, RFC 9636).
extension TimeZoneRules {
  /// The largest size of a zone's file in bytes. Files of the database have under 4 KiB.
  package static let largestFileBytes = 1 << 18

  /// Reads a TZif file of any version.
  ///
  /// - Throws: `TimeZoneFileError` if the bytes are not such a file.
  package init(name: String, file bytes: [UInt8]) throws(TimeZoneFileError) {
    guard bytes.count <= Self.largestFileBytes else { throw .malformed(offset: bytes.count, .badCount) }
    var reader = TimeZoneFileReader(bytes)
    var block = try reader.block(timeBytes: 4)
    var rule: POSIXTimeZone?
    // From version 2 on, a second block with 64-bit times follows, then the rule for later years (RFC 9636 §3.1, §3.3).
    if block.version >= UInt8(ascii: "2") {
      block = try reader.block(timeBytes: 8)
      rule = try reader.footer()
    }
    self.init(name: name, transitions: block.transitions, offsets: block.offsets, rule: rule)
  }
}

/// Reads the bytes in order, and compares every count with the bytes available before using it.
private struct TimeZoneFileReader {
  struct Block {
    /// The version: 0, or its ASCII digit.
    let version: UInt8
    let transitions: [Int64]
    /// The offsets, one more than there are transitions.
    let offsets: [Int32]
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private mutating func take(_ count: Int) throws(TimeZoneFileError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw .malformed(offset: bytes.count, .cutShort) }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  /// Reads an integer in two's complement, most significant byte first.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
    let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
    return Int64(bitPattern: bytes.reduce(isNegative ? UInt64.max : 0) { $0 << 8 | UInt64($1) })
  }

  /// Reads a header and its data block (RFC 9636 §3.1, §3.2).
  mutating func block(timeBytes: Int) throws(TimeZoneFileError) -> Block {
    let start = position
    guard bytes[start...].starts(with: "TZif".utf8) else { throw .malformed(offset: start, .noHeader) }
    let header = try take(44)
    let version = header[start + 4]
    let counts = (0..<6).map { index in
      Int(Self.integer(header[(start + 20 + index * 4)..<(start + 24 + index * 4)]) & 0xFFFF_FFFF)
    }
    let (utCount, standardCount, leapCount) = (counts[0], counts[1], counts[2])
    let (timeCount, typeCount, characterCount) = (counts[3], counts[4], counts[5])
    let lengths = [
      timeCount * timeBytes, timeCount, typeCount * 6, characterCount, leapCount * (timeBytes + 4), standardCount,
      utCount,
    ]
    guard lengths.allSatisfy({ $0 <= bytes.count }) else { throw .malformed(offset: start + 20, .badCount) }
    guard (1...256).contains(typeCount) else { throw .malformed(offset: start + 36, .badCount) }
    let times = try take(lengths[0])
    let indexes = try take(lengths[1])
    let types = try take(lengths[2])
    for length in lengths[3...] { _ = try take(length) }
    guard leapCount == 0 else { throw .countsLeapSeconds }

    let offsets = try (0..<typeCount).map { index throws(TimeZoneFileError) in
      let field = types.startIndex + index * 6
      let offset = Self.integer(types[field..<(field + 4)])
      // RFC 9636 §3.2: from almost 25 hours west to almost 26 hours east.
      guard (-89_999...93_599).contains(offset) else { throw TimeZoneFileError.malformed(offset: field, .badOffset) }
      return Int32(offset)
    }
    var transitions: [Int64] = []
    transitions.reserveCapacity(timeCount)
    // The time before the first transition has the first type (RFC 9636 §3.2).
    var offsetsInOrder = [offsets[0]]
    for index in 0..<timeCount {
      let field = times.startIndex + index * timeBytes
      let time = Self.integer(times[field..<(field + timeBytes)])
      if let last = transitions.last, last >= time { throw .malformed(offset: field, .disorder) }
      let type = Int(indexes[indexes.startIndex + index])
      guard type < typeCount else { throw .malformed(offset: indexes.startIndex + index, .badIndex) }
      transitions.append(time)
      offsetsInOrder.append(offsets[type])
    }
    return Block(version: version, transitions: transitions, offsets: offsetsInOrder)
  }

  /// Reads the rule between two line feeds, which may be empty (RFC 9636 §3.3).
  mutating func footer() throws(TimeZoneFileError) -> POSIXTimeZone? {
    let start = position
    guard try take(1).first == UInt8(ascii: "\n"), let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n"))
    else { throw .malformed(offset: start, .badRule) }
    let text = try take(end - position)
    if text.isEmpty { return nil }
    guard let rule = POSIXTimeZone(String(decoding: text, as: UTF8.self)) else {
      throw .malformed(offset: start, .badRule)
    }
    return rule
  }
}
