/// Removes the chunked coding from a body as it arrives.

internal import FootageBase

/// A decoder that follows RFC 9112 §7.1 strictly: if two programs disagree on where a chunk ends, requests can be
/// smuggled. It holds no bytes.
package struct ChunkedBodyDecoder: Sendable {
  /// The next event in the given bytes.
  package enum Event: Hashable, Sendable {
    /// The bytes in this range are part of the body. Continue after them.
    case data(Range<Int>)
    /// All bytes have been consumed.
    case needsMore
    /// The body has ended; whatever follows it begins at this position.
    case end(at: Int)
  }

  private enum State {
    case size(digits: Int)
    case blankBeforeExtension, chunkExtension
    case sizeLineFeed
    case data
    case dataCarriageReturn, dataLineFeed
    case trailerStart, trailerName, trailerValue, trailerLineFeed
    case lastLineFeed
    case ended
  }

  private let limits: HTTPLimits
  private var state = State.size(digits: 0)
  /// The remaining bytes of the current chunk.
  private var remaining: UInt64 = 0
  private var extensionBytes = 0
  private var trailerBytes = 0
  /// The number of bytes consumed by all earlier calls, so that a refusal can state its position.
  private var bytesBefore = 0

  /// Creates a decoder for the beginning of a body.
  package init(limits: HTTPLimits = .standard) {
    self.limits = limits
  }

  /// True if the last chunk and the trailer section have been consumed.
  package var isComplete: Bool { if case .ended = state { true } else { false } }

  /// Returns the next event in `bytes` from `start` on. Pass each byte only once, and continue where the last event
  /// ended.
  ///
  /// - Throws: `MessageRefusal`, whose offset counts the coded bytes of the body. The connection must then be closed.
  package mutating func next(_ bytes: Span<UInt8>, from start: Int) throws(MessageRefusal) -> Event {
    var position = max(start, 0)
    while position < bytes.count {
      if case .ended = state { return .end(at: position) }
      if case .data = state {
        let count = Int(min(UInt64(bytes.count - position), remaining))
        remaining -= UInt64(count)
        if remaining == 0 { state = .dataCarriageReturn }
        bytesBefore &+= position + count - start
        return .data(position..<position + count)
      }
      do throws(Fault) {
        try take(bytes[position])
      } catch {
        throw MessageRefusal(error.reason, at: bytesBefore &+ (position - start))
      }
      position += 1
    }
    bytesBefore &+= position - start
    if case .ended = state { return .end(at: position) }
    return .needsMore
  }

  private struct Fault: Error { let reason: MessageRefusal.Reason }

  /// Consumes a byte that is not in the data of a chunk.
  private mutating func take(_ byte: UInt8) throws(Fault) {
    switch state {
    case .size(let digits): try takeSize(byte, digits: digits)
    case .blankBeforeExtension: try takeBlank(byte)
    case .chunkExtension: try takeExtension(byte)
    case .sizeLineFeed:
      try expect(byte, ASCII.lineFeed, .chunkSizeMalformed)
      state = remaining > 0 ? .data : .trailerStart
    case .dataCarriageReturn:
      try expect(byte, ASCII.carriageReturn, .chunkEndMissing)
      state = .dataLineFeed
    case .dataLineFeed:
      try expect(byte, ASCII.lineFeed, .chunkEndMissing)
      state = .size(digits: 0)
    case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed: try takeTrailer(byte)
    case .lastLineFeed:
      try expect(byte, ASCII.lineFeed, .bareCarriageReturn)
      state = .ended
    case .data, .ended: break
    }
  }

  /// Consumes a byte of `1*HEXDIG`. Leading zeros count towards the 16 digits, because otherwise there could be any
  /// number of them.
  private mutating func takeSize(_ byte: UInt8, digits: Int) throws(Fault) {
    if let digit = Hexadecimal.value(byte) {
      guard digits < 16, remaining <= UInt64(Int64.max) >> 4 else { throw Fault(reason: .chunkTooLong) }
      remaining = remaining << 4 | UInt64(digit)
      state = .size(digits: digits + 1)
      return
    }
    guard digits > 0 else { throw Fault(reason: .chunkSizeMalformed) }
    switch byte {
    case ASCII.carriageReturn: state = .sizeLineFeed
    case UInt8(ascii: ";"): try enterExtension()
    case ASCII.space, ASCII.tab:
      try countExtension()
      state = .blankBeforeExtension
    default: throw Fault(reason: .chunkSizeMalformed)
    }
  }

  /// Consumes a byte after a blank. Blanks are allowed before a `;` (RFC 9112 §7.1.1), and nowhere else.
  private mutating func takeBlank(_ byte: UInt8) throws(Fault) {
    if ASCII.isBlank(byte) {
      try countExtension()
    } else if byte == UInt8(ascii: ";") {
      try enterExtension()
    } else {
      throw Fault(reason: .chunkSizeMalformed)
    }
  }

  private mutating func enterExtension() throws(Fault) {
    try countExtension()
    state = .chunkExtension
  }

  private mutating func takeExtension(_ byte: UInt8) throws(Fault) {
    if byte == ASCII.carriageReturn {
      state = .sizeLineFeed
      return
    }
    guard !ASCII.isControl(byte) else { throw Fault(reason: .chunkSizeMalformed) }
    try countExtension()
  }

  private mutating func countExtension() throws(Fault) {
    extensionBytes += 1
    guard extensionBytes <= limits.chunkExtensionBytes else { throw Fault(reason: .chunkExtensionsTooLong) }
  }

  /// Consumes a byte of the trailer fields (RFC 9112 §7.1.2), which are checked and discarded.
  private mutating func takeTrailer(_ byte: UInt8) throws(Fault) {
    trailerBytes += 1
    guard trailerBytes <= limits.trailerBytes else { throw Fault(reason: .trailersTooLong) }
    switch state {
    case .trailerStart where byte == ASCII.carriageReturn: state = .lastLineFeed
    case .trailerStart:
      guard ASCII.isToken(byte) else { throw Fault(reason: .fieldNameMalformed) }
      state = .trailerName
    case .trailerName:
      if byte == UInt8(ascii: ":") {
        state = .trailerValue
      } else if !ASCII.isToken(byte) {
        throw Fault(reason: .fieldNameMalformed)
      }
    case .trailerValue:
      if byte == ASCII.carriageReturn {
        state = .trailerLineFeed
      } else if ASCII.isControl(byte) {
        throw Fault(reason: byte == ASCII.lineFeed ? .bareLineFeed : .controlByte)
      }
    default:
      try expect(byte, ASCII.lineFeed, .bareCarriageReturn)
      state = .trailerStart
    }
  }

  private func expect(_ byte: UInt8, _ expected: UInt8, _ reason: MessageRefusal.Reason) throws(Fault) {
    guard byte == expected else { throw Fault(reason: reason) }
  }
}
