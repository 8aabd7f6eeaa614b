/// An encoder of a series of values as bytes: 64-bit integers with the most significant byte first, and texts preceded
/// by their length.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []

  mutating func integer(_ value: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  mutating func number(_ value: Double) { integer(value.bitPattern) }

  mutating func text(_ value: String) { data(value.utf8) }

  /// Appends bytes, preceded by their number.
  mutating func data(_ value: some Collection<UInt8>) {
    integer(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func optional<Value>(_ value: Value?, _ write: (inout MessageWriter, Value) -> Void) {
    integer(value == nil ? 0 : 1)
    if let value { write(&self, value) }
  }
}

/// A decoder of bytes that `MessageWriter` wrote. It returns nil for other bytes, and never reads past the end.
struct MessageReader {
  private let bytes: [UInt8]
  private var position = 0

  /// The longest text, in bytes.
  private static let textLimit = 64 << 10

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func integer() -> UInt64? {
    guard bytes.count - position >= 8 else { return nil }
    defer { position += 8 }
    return bytes[position..<(position + 8)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func number() -> Double? { integer().map { Double(bitPattern: $0) } }

  mutating func text() -> String? {
    data(limit: Self.textLimit).flatMap { String(validating: $0, as: UTF8.self) }
  }

  mutating func data(limit: Int) -> ArraySlice<UInt8>? {
    guard let length = integer(), length <= UInt64(min(limit, bytes.count - position)) else { return nil }
    defer { position += Int(length) }
    return bytes[position..<(position + Int(length))]
  }

  mutating func list<Value>(limit: Int, _ read: (inout MessageReader) -> Value?) -> [Value]? {
    guard let count = integer(), count <= UInt64(limit) else { return nil }
    var values: [Value] = []
    for _ in 0..<count {
      guard let value = read(&self) else { return nil }
      values.append(value)
    }
    return values
  }

  /// Reads an optional value.
  ///
  /// - Returns: nil if the bytes are not an encoded optional, and a nested nil if there is no value.
  mutating func optional<Value>(_ read: (inout MessageReader) -> Value?) -> Value?? {
    switch integer() {
    case 0: return .some(nil)
    case 1:
      guard let value = read(&self) else { return nil }
      return .some(value)
    default: return nil
    }
  }
}
