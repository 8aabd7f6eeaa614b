/// A DNS message (RFC 1035 §4), as far as service discovery needs it (RFC 6762, RFC 6763). Any machine may have sent
/// it: incomplete content is rejected.
package struct DNSMessage: Hashable, Sendable {
  /// The content of a record.
  package enum Content: Hashable, Sendable {
    /// PTR: the name of an instance of a service.
    case pointer(DNSName)
    /// SRV: the host and port of an instance (RFC 2782).
    case service(host: DNSName, port: UInt16)
    /// TXT: its strings, unchanged.
    case text([[UInt8]])
    /// A or AAAA: the 4 or 16 bytes of an address.
    case address([UInt8])
    case other
  }

  package struct Record: Hashable, Sendable {
    package let name: DNSName
    package let content: Content
  }

  /// The records of all sections, because the section of a record does not matter for service discovery.
  package let records: [Record]

  /// The size limit in bytes (RFC 6762 §17).
  package static let largest = 9_000
  /// The largest number of records that are read.
  static let mostRecords = 256

  /// Returns a question for the instances of a service, to which machines send their answers directly (RFC 6762 §5.4,
  /// §6.7).
  package static func question(for service: DNSName) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    for label in service.labels {
      bytes.append(UInt8(truncatingIfNeeded: label.count))
      bytes += label
    }
    // This is the end of the name, type PTR, and class IN with the bit that requests an answer by unicast.
    return bytes + [0, 0, 12, 0x80, 1]
  }

  /// Reads an answer; nil if the message is not one.
  package init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes)
    guard bytes.count <= Self.largest, reader.number() != nil, let flags = reader.number(), flags & 0x8000 != 0,
      let questions = reader.number(), let answers = reader.number(), let authorities = reader.number(),
      let additionals = reader.number(), questions <= Self.mostRecords
    else { return nil }
    for _ in 0..<questions { guard reader.name() != nil, reader.skip(4) else { return nil } }
    var records: [Record] = []
    for _ in 0..<min(Int(answers) + Int(authorities) + Int(additionals), Self.mostRecords) {
      // The beginning of a truncated message is valid.
      guard let record = reader.record() else { break }
      records.append(record)
    }
    self.records = records
  }

  private struct Reader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number() -> UInt16? {
      guard bytes.count - position >= 2 else { return nil }
      defer { position += 2 }
      return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    mutating func skip(_ count: Int) -> Bool {
      guard bytes.count - position >= count else { return false }
      position += count
      return true
    }

    /// Reads a name, which may end in an earlier name (RFC 1035 §4.1.4). Each jump leads further back, so reading
    /// always ends.
    mutating func name() -> DNSName? {
      var labels: [[UInt8]] = []
      var (place, limit, end) = (position, position, nil as Int?)
      var byteCount = 1
      while place < bytes.count {
        let length = Int(bytes[place])
        switch length {
        case 0:
          position = end ?? place + 1
          return DNSName(labels)
        case 1...63:
          byteCount += length + 1
          guard bytes.count - place > length, byteCount <= DNSName.longest else { return nil }
          labels.append(Array(bytes[(place + 1)...(place + length)]))
          place += length + 1
        case 0xC0...:
          guard bytes.count - place >= 2 else { return nil }
          let target = (length & 0x3F) << 8 | Int(bytes[place + 1])
          guard target < limit else { return nil }
          end = end ?? place + 2
          (place, limit) = (target, target)
        default: return nil
        }
      }
      return nil
    }

    mutating func record() -> Record? {
      guard let name = name(), let type = number(), number() != nil, skip(4), let length = number(),
        bytes.count - position >= Int(length)
      else { return nil }
      let end = position + Int(length)
      let content = content(of: type, before: end)
      position = end
      return Record(name: name, content: content ?? .other)
    }

    private mutating func content(of type: UInt16, before end: Int) -> Content? {
      switch type {
      case 1 where end - position == 4, 28 where end - position == 16: return .address(Array(bytes[position..<end]))
      case 12: return name().map { .pointer($0) }
      case 16:
        var strings: [[UInt8]] = []
        while position < end {
          let length = Int(bytes[position])
          guard end - position > length else { return nil }
          strings.append(Array(bytes[(position + 1)..<(position + 1 + length)]))
          position += length + 1
        }
        return .text(strings)
      case 33:
        guard end - position > 6, skip(4), let port = number(), let host = name() else { return nil }
        return .service(host: host, port: port)
      default: return nil
      }
    }
  }
}

/// A DNS name: its labels, whose case does not matter (RFC 1035 §2.3.3).
package struct DNSName: Hashable, Sendable {
  package let labels: [[UInt8]]
  /// The form that is compared: each label after its length, in lower case.
  private let folded: [UInt8]

  /// The length limit in bytes, as the name is sent.
  static let longest = 255

  init(_ labels: [[UInt8]]) {
    self.labels = labels
    folded = labels.flatMap { label in
      [UInt8(truncatingIfNeeded: label.count)]
        + label.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
  }

  /// - Parameter text: the labels, separated by dots; no label may contain a dot itself.
  package init(_ text: String) { self.init(text.utf8.split(separator: UInt8(ascii: ".")).map(Array.init)) }

  /// The labels with dots between them.
  package var text: String { labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".") }

  package static func == (left: DNSName, right: DNSName) -> Bool { left.folded == right.folded }

  package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
