/// A D-Bus message (the specification's chapters "Type System" and "Message Protocol"), as far as Avahi uses the
/// protocol. Any program may have sent its content: incomplete content is rejected.
package struct BusMessage: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    case call = 1
    case answer = 2
    case error = 3
    case signal = 4
  }

  package var kind: Kind
  /// The number that the sender gave the message, from 1 on.
  package var serial: UInt32
  /// The serial number of the call that the message answers.
  package var answered: UInt32?
  /// The path of an object, such as `/`.
  package var path: String?
  package var interface: String?
  package var member: String?
  package var destination: String?
  /// The sender's name, which the bus guarantees.
  package var sender: String?
  package var body: [BusValue]

  /// The flag of a call that keeps the bus from starting a service that is not running.
  private static let noAutomaticStart: UInt8 = 2
  /// The size limit in bytes. The specification allows 128 MiB, but no message from Avahi comes near this limit.
  static let largest = 1 << 18
  /// The length of the fixed part in bytes, up to and including the length of the fields.
  private static let headLength = 16

  package init(
    _ kind: Kind, serial: UInt32, answered: UInt32? = nil, path: String? = nil, interface: String? = nil,
    member: String? = nil, destination: String? = nil, sender: String? = nil, body: [BusValue] = []
  ) {
    self.kind = kind
    self.serial = serial
    self.answered = answered
    self.path = path
    self.interface = interface
    self.member = member
    self.destination = destination
    self.sender = sender
    self.body = body
  }

  // MARK: Writing

  /// The message as it is sent.
  package var bytes: [UInt8] {
    var content = BusWriter()
    for value in body { content.write(value) }
    var fields = BusWriter()
    fields.field(1, path.map { .objectPath($0) })
    fields.field(2, interface.map { .string($0) })
    fields.field(3, member.map { .string($0) })
    fields.field(5, answered.map { .uint32($0) })
    fields.field(6, destination.map { .string($0) })
    fields.field(7, sender.map { .string($0) })
    fields.field(8, body.isEmpty ? nil : .signature(body.map(\.signature).joined()))
    var head = BusWriter()
    head.bytes = [UInt8(ascii: "l"), kind.rawValue, kind == .call ? Self.noAutomaticStart : 0, 1]
    head.write(.uint32(UInt32(truncatingIfNeeded: content.bytes.count)))
    head.write(.uint32(serial))
    head.write(.uint32(UInt32(truncatingIfNeeded: fields.bytes.count)))
    head.bytes += fields.bytes
    head.align(8)
    return head.bytes + content.bytes
  }

  // MARK: Reading

  /// Returns the length of the message at the start of `bytes`.
  ///
  /// - Returns: nil if too few bytes have arrived to tell.
  /// - Throws: `BusMessage.Malformed` if it is not a message, or is longer than any expected one.
  static func length(of bytes: ArraySlice<UInt8>) throws(Malformed) -> Int? {
    guard bytes.count >= headLength else { return nil }
    var reader = try BusReader(message: bytes)
    try reader.skip(4)
    let content = Int(try reader.uint32())
    try reader.skip(4)
    let fields = Int(try reader.uint32())
    guard content <= largest, fields <= largest else { throw Malformed() }
    return (headLength + fields + 7) / 8 * 8 + content
  }

  /// Reads a message.
  ///
  /// - Parameter bytes: exactly one message.
  /// - Throws: `BusMessage.Malformed`. That includes a well-formed message with content that Avahi never sends.
  package init(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
    guard try Self.length(of: bytes) == bytes.count else { throw Malformed() }
    var reader = try BusReader(message: bytes)
    try reader.skip(1)
    guard let kind = Kind(rawValue: try reader.byte()) else { throw Malformed() }
    try reader.skip(2)
    let contentLength = Int(try reader.uint32())
    self.init(kind, serial: try reader.uint32())
    let fieldsEnd = Self.headLength + Int(try reader.uint32())
    var signature = ""
    while reader.position < fieldsEnd {
      try reader.align(8)
      let code = try reader.byte()
      let value = try reader.variant()
      switch (code, value) {
      case (1, .objectPath(let text)): path = text
      case (2, .string(let text)): interface = text
      case (3, .string(let text)): member = text
      case (5, .uint32(let number)): answered = number
      case (6, .string(let text)): destination = text
      case (7, .string(let text)): sender = text
      case (8, .signature(let text)): signature = text
      default: break
      }
    }
    guard reader.position == fieldsEnd else { throw Malformed() }
    try reader.align(8)
    guard bytes.count - reader.position == contentLength else { throw Malformed() }
    var types = signature.utf8[...]
    while !types.isEmpty { body.append(try reader.value(&types)) }
    guard reader.position == bytes.count else { throw Malformed() }
  }

  /// The error for bytes that are not a message, or that are a message that neither Avahi nor the bus would send.
  package struct Malformed: Error {}
}

/// A value in a message, of one of the D-Bus types that Avahi uses.
package enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case string(String)
  case objectPath(String)
  case signature(String)
  /// An array of bytes.
  case bytes([UInt8])
  /// An array of arrays of bytes.
  case byteStrings([[UInt8]])

  var signature: String {
    switch self {
    case .byte: "y"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .bytes: "ay"
    case .byteStrings: "aay"
    }
  }
}

/// A writer of values, aligned relative to its beginning, with the least significant byte first.
private struct BusWriter {
  var bytes: [UInt8] = []

  mutating func align(_ count: Int) {
    bytes += repeatElement(0, count: (count - bytes.count % count) % count)
  }

  /// Writes a field of a head: a structure of its code and a variant.
  mutating func field(_ code: UInt8, _ value: BusValue?) {
    guard let value else { return }
    align(8)
    bytes.append(code)
    write(.signature(value.signature))
    write(value)
  }

  mutating func write(_ value: BusValue) {
    switch value {
    case .byte(let number): bytes.append(number)
    case .uint16(let number):
      align(2)
      bytes += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    case .int32(let number): uint32(UInt32(bitPattern: number))
    case .uint32(let number): uint32(number)
    case .string(let text), .objectPath(let text):
      uint32(UInt32(truncatingIfNeeded: text.utf8.count))
      bytes += Array(text.utf8) + [0]
    case .signature(let text): bytes += [UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8) + [0]
    case .bytes(let array):
      uint32(UInt32(truncatingIfNeeded: array.count))
      bytes += array
    case .byteStrings(let strings):
      align(4)
      let start = bytes.count
      bytes += [0, 0, 0, 0]
      for string in strings { write(.bytes(string)) }
      let length = UInt32(truncatingIfNeeded: bytes.count - start - 4)
      for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
    }
  }

  private mutating func uint32(_ number: UInt32) {
    align(4)
    for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}

/// A reader of values. A count in a message never makes it read or allocate more bytes than the message has.
private struct BusReader {
  private let bytes: ArraySlice<UInt8>
  private let isBigEndian: Bool
  /// The offset from the beginning of the message, in bytes.
  private(set) var position = 0

  init(message bytes: ArraySlice<UInt8>) throws(BusMessage.Malformed) {
    guard bytes.count >= 4, bytes[bytes.startIndex + 3] == 1 else { throw BusMessage.Malformed() }
    switch bytes.first {
    case UInt8(ascii: "l"): isBigEndian = false
    case UInt8(ascii: "B"): isBigEndian = true
    default: throw BusMessage.Malformed()
    }
    self.bytes = bytes
  }

  mutating func skip(_ count: Int) throws(BusMessage.Malformed) { _ = try take(count) }

  mutating func align(_ count: Int) throws(BusMessage.Malformed) { try skip((count - position % count) % count) }

  private mutating func take(_ count: Int) throws(BusMessage.Malformed) -> ArraySlice<UInt8> {
    guard count >= 0, bytes.count - position >= count else { throw BusMessage.Malformed() }
    let start = bytes.startIndex + position
    position += count
    return bytes[start..<(start + count)]
  }

  mutating func byte() throws(BusMessage.Malformed) -> UInt8 {
    guard let byte = try take(1).first else { throw BusMessage.Malformed() }
    return byte
  }

  mutating func uint32() throws(BusMessage.Malformed) -> UInt32 {
    try align(4)
    return number(try take(4))
  }

  private func number(_ digits: ArraySlice<UInt8>) -> UInt32 {
    let ordered = isBigEndian ? Array(digits) : digits.reversed()
    return ordered.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Reads a signature and a value of that type.
  mutating func variant() throws(BusMessage.Malformed) -> BusValue {
    guard case .signature(let text) = try signature() else { throw BusMessage.Malformed() }
    var types = text.utf8[...]
    let value = try value(&types)
    guard types.isEmpty else { throw BusMessage.Malformed() }
    return value
  }

  /// - Parameter types: the remaining types; the one that is read is removed from the beginning.
  mutating func value(_ types: inout Substring.UTF8View) throws(BusMessage.Malformed) -> BusValue {
    switch types.popFirst() {
    case UInt8(ascii: "y"): return .byte(try byte())
    case UInt8(ascii: "q"):
      try align(2)
      return .uint16(UInt16(truncatingIfNeeded: number(try take(2))))
    case UInt8(ascii: "i"): return .int32(Int32(bitPattern: try uint32()))
    case UInt8(ascii: "u"): return .uint32(try uint32())
    case UInt8(ascii: "s"): return .string(try text())
    case UInt8(ascii: "o"): return .objectPath(try text())
    case UInt8(ascii: "g"): return try signature()
    case UInt8(ascii: "a"): return try array(&types)
    default: throw BusMessage.Malformed()
    }
  }

  private mutating func array(_ types: inout Substring.UTF8View) throws(BusMessage.Malformed) -> BusValue {
    switch types.popFirst() {
    case UInt8(ascii: "y"): return .bytes(try byteString())
    case UInt8(ascii: "a"):
      guard types.popFirst() == UInt8(ascii: "y") else { throw BusMessage.Malformed() }
      let length = Int(try uint32())
      let end = position + length
      guard length <= bytes.count else { throw BusMessage.Malformed() }
      var strings: [[UInt8]] = []
      while position < end { strings.append(try byteString()) }
      guard position == end else { throw BusMessage.Malformed() }
      return .byteStrings(strings)
    default: throw BusMessage.Malformed()
    }
  }

  private mutating func byteString() throws(BusMessage.Malformed) -> [UInt8] {
    let count = Int(try uint32())
    return Array(try take(count))
  }

  private mutating func text() throws(BusMessage.Malformed) -> String {
    let count = Int(try uint32())
    return try text(count)
  }

  private mutating func signature() throws(BusMessage.Malformed) -> BusValue {
    let count = Int(try byte())
    return .signature(try text(count))
  }

  private mutating func text(_ count: Int) throws(BusMessage.Malformed) -> String {
    guard let text = String(validating: try take(count), as: UTF8.self), try byte() == 0 else {
      throw BusMessage.Malformed()
    }
    return text
  }
}
