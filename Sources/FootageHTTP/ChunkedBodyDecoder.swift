/// Takes the chunked coding off a body as it arrives.

internal import FootageBase

/// RFC 9112 §7.1, by the letter: a second opinion on where a chunk ends is how requests are smuggled. Holds no bytes.
package struct ChunkedBodyDecoder: Sendable {
  /// What comes next in the bytes at hand.
  package enum Event: Hashable, Sendable {
    /// These of the given bytes are body; go on behind them.
    case data(Range<Int>)
    /// All bytes are taken.
    case needsMore
    /// The body is over; what follows it begins here.
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
  /// Of the current chunk, in bytes.
  private var remaining: UInt64 = 0
  private var extensionBytes = 0
  private var trailerBytes = 0
  /// Of all calls before, so that a refusal can say where.
  private var bytesBefore = 0

  /// At the beginning of a body.
  package init(limits: HTTPLimits = .standard) {
    self.limits = limits
  }

  /// Whether the last chunk and the trailer section were taken.
  package var isComplete: Bool { if case .ended = state { true } else { false } }

  /// The next piece of the body in `bytes` from `start` on. Offer each byte once: go on where an event ended.
  ///
  /// - Throws: `MessageRefusal`, whose offset counts the coded bytes of the body; the connection is then to be closed.
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

  /// A byte outside of the chunks' data.
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

  /// `1*HEXDIG`; leading zeros count towards the 16 digits, or they would never have to end.
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

  /// Blanks may stand before a `;` (RFC 9112 §7.1.1), and nowhere else.
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

  /// RFC 9112 §7.1.2: field lines, which are checked and dropped.
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
