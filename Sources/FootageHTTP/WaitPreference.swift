internal import FootageBase

/// The time that a client is willing to wait for an answer: the preference `wait` (RFC 7240 §4.3).
package struct WaitPreference: Hashable, Sendable {
  /// The number of seconds, 1 to `longest`.
  package let seconds: Int64

  /// The longest wait in seconds. A longer one is reduced to it.
  package static let longest: Int64 = 240

  /// The value for a `Preference-Applied` field (RFC 7240 §3).
  package var applied: String { "wait=\(seconds)" }

  /// - Parameter field: the value of `Prefer`, its lines joined.
  /// - Returns: nil if there is no such preference, or its value is not a number of seconds above 0. Everything after a
  ///   fault in the list is ignored.
  package init?(_ field: Span<UInt8>) {
    var preferences = PreferenceCursor(field.count)
    while let preference = preferences.next(in: field) {
      guard ASCII.matches(field, preference.name, ignoringCase: "wait") else { continue }
      // Only the first preference with that name counts (RFC 7240 §2).
      guard let value = preference.value, !value.isEmpty, !preference.isQuoted else { return nil }
      for index in value where !ASCII.isDigit(field[index]) { return nil }
      // A number of seconds that exceeds 64 bits is too long as well (RFC 9111 §1.2.2).
      let seconds = ASCII.decimal(field, value) ?? .max
      guard seconds > 0 else { return nil }
      self.seconds = Int64(min(seconds, UInt64(Self.longest)))
      return
    }
    return nil
  }

  /// Reads the preference of a request.
  package init?(of request: RequestHead) {
    guard let field = request.combinedValue(of: .prefer) else { return nil }
    self.init(Array(field).borrowedSpan)
  }
}

/// An iterator over the preferences of a `Prefer` field (RFC 7240 §2): `token [ = word ] *( ; parameter )` between
/// commas.
private struct PreferenceCursor {
  struct Preference {
    let name: Range<Int>
    /// The value without its quotes; nil if there is none.
    let value: Range<Int>?
    let isQuoted: Bool
  }

  private var position = 0
  private let end: Int

  init(_ count: Int) { end = count }

  /// Returns the next preference without its parameters; nil at the end, or at the first fault.
  mutating func next(in bytes: Span<UInt8>) -> Preference? {
    while position < end, ASCII.isBlank(bytes[position]) || bytes[position] == UInt8(ascii: ",") { position += 1 }
    guard let preference = pair(in: bytes) else { return nil }
    while take(UInt8(ascii: ";"), in: bytes) {
      skipBlanks(in: bytes)
      // A parameter may be empty.
      guard position < end, bytes[position] != UInt8(ascii: ","), bytes[position] != UInt8(ascii: ";") else { continue }
      guard pair(in: bytes) != nil else { return nil }
    }
    guard position == end || bytes[position] == UInt8(ascii: ",") else { return nil }
    return preference
  }

  /// Reads `token [ BWS "=" BWS word ]`, and the blanks after it.
  private mutating func pair(in bytes: Span<UInt8>) -> Preference? {
    guard let name = token(in: bytes) else { return nil }
    skipBlanks(in: bytes)
    guard take(UInt8(ascii: "="), in: bytes) else { return Preference(name: name, value: nil, isQuoted: false) }
    skipBlanks(in: bytes)
    let isQuoted = position < end && bytes[position] == UInt8(ascii: "\"")
    guard let value = isQuoted ? quotedString(in: bytes) : token(in: bytes) else { return nil }
    skipBlanks(in: bytes)
    return Preference(name: name, value: value, isQuoted: isQuoted)
  }

  private mutating func token(in bytes: Span<UInt8>) -> Range<Int>? {
    let start = position
    while position < end, ASCII.isToken(bytes[position]) { position += 1 }
    return position > start ? start..<position : nil
  }

  /// Reads a quoted string (RFC 9110 §5.6.4).
  private mutating func quotedString(in bytes: Span<UInt8>) -> Range<Int>? {
    position += 1
    let start = position
    while position < end, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < end else { return nil }
    defer { position += 1 }
    return start..<position
  }

  private mutating func take(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
    guard position < end, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks(in bytes: Span<UInt8>) {
    while position < end, ASCII.isBlank(bytes[position]) { position += 1 }
  }
}
